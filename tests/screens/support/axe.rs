//! axe-core in the page (`tests/screens/README.md`).

use serde_json::Value;

use super::browser::Browser;

const SOURCE: &str = include_str!("../axe.min.js");

impl Browser {
    /// Fails for every violation of WCAG A and AA of what the page shows now.
    #[track_caller]
    pub(crate) fn is_accessible(&self, what: &str) {
        self.keeps_rules(what, "{ type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] }");
    }

    /// Fails if a text of the page can hardly be read in the light theme. Only colours differ between the themes.
    #[track_caller]
    pub(crate) fn has_contrast_in_light(&self, what: &str) {
        self.run("document.documentElement.dataset.theme = 'light';", &Value::Null);
        self.keeps_rules(&format!("{what}, light"), "{ type: 'rule', values: ['color-contrast', 'link-in-text-block'] }");
    }

    #[track_caller]
    fn keeps_rules(&self, what: &str, rules: &str) {
        let faults = self.faults();
        assert!(faults.is_empty(), "{what}: the page has faults:\n{faults}");
        if self.get("typeof axe") == "undefined" {
            self.run(SOURCE, &Value::Null);
        }
        let found = self.run_async(&format!(
            "const {{ violations }} = await axe.run(document, {{ runOnly: {rules}, resultTypes: ['violations'] }});
             return violations.flatMap(({{ id, nodes }}) => nodes.map(({{ html, failureSummary }}) => `${{id}}: ${{html.slice(0, 300)}} ${{failureSummary}}`));",
        ));
        // It adds style sheets of its own, which the policy of the page blocks.
        self.run("test.blocked.length = 0;", &Value::Null);
        self.faults();
        let found: Vec<&str> = found.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if !found.is_empty() {
            self.screenshot("failed");
        }
        assert!(found.is_empty(), "{what}: {} violations:\n{}", found.len(), found.join("\n"));
    }
}
