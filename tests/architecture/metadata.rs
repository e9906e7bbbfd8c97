//! The output of `cargo metadata`: the workspace and all its dependencies.

use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use crate::files::ROOT;
use crate::lists::{deny_toml, list};

/// One crate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) licence: Option<String>,
    /// Its source; none for a crate of the workspace.
    pub(crate) source: Option<String>,
    /// The dependencies in its manifest.
    pub(crate) dependencies: Vec<Dependency>,
}

/// One line of a manifest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) requirement: String,
    /// Whether it is only for tests.
    pub(crate) dev: bool,
    pub(crate) source: Option<String>,
    /// The registry, if it is not the default one.
    pub(crate) registry: Option<String>,
}

/// Every crate that is built for one of the systems of deny.toml, for tests too; read once.
pub(crate) fn all() -> &'static [Package] {
    static ALL: OnceLock<Vec<Package>> = OnceLock::new();
    ALL.get_or_init(|| {
        let targets = list(&deny_toml(), "targets");
        assert!(!targets.is_empty(), "deny.toml names the systems");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(ROOT).args(["metadata", "--format-version", "1", "--locked"]);
        cargo.args(targets.iter().flat_map(|target| ["--filter-platform", target]));
        let output = cargo.output().unwrap_or_else(|error| panic!("cargo metadata: {error}"));
        assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
        let value: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("cargo metadata: {error}"));
        packages(&value)
    })
}

/// The packages of the dependency graph; metadata also lists packages that no target needs.
fn packages(value: &Value) -> Vec<Package> {
    let used: Vec<&Value> = items(&value["resolve"]["nodes"]).iter().map(|node| &node["id"]).collect();
    items(&value["packages"]).iter().filter(|package| used.contains(&&package["id"])).map(package).collect()
}

fn package(value: &Value) -> Package {
    let dependency = |value: &Value| Dependency {
        name: text(&value["name"]).unwrap_or_default(),
        requirement: text(&value["req"]).unwrap_or_default(),
        dev: value["kind"] == "dev",
        source: text(&value["source"]),
        registry: text(&value["registry"]),
    };
    Package {
        name: text(&value["name"]).unwrap_or_default(),
        version: text(&value["version"]).unwrap_or_default(),
        licence: text(&value["license"]),
        source: text(&value["source"]),
        dependencies: items(&value["dependencies"]).iter().map(dependency).collect(),
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_string)
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[test]
fn the_output_of_cargo_metadata_is_read() {
    let value = serde_json::json!({
        "packages": [
            { "id": "a 1", "name": "a", "version": "1.0.0", "license": "MIT", "source": null, "dependencies": [
                { "name": "b", "req": "^2", "kind": "dev", "source": "git+x", "registry": null } ] },
            { "id": "c 1", "name": "c", "version": "1.0.0", "dependencies": [] },
        ],
        "resolve": { "nodes": [{ "id": "a 1" }] },
    });
    let found = packages(&value);
    let [only] = &found[..] else { panic!("{found:?}") };
    assert_eq!((only.name.as_str(), only.licence.as_deref(), only.source.as_deref()), ("a", Some("MIT"), None));
    let [dependency] = &only.dependencies[..] else { panic!("{only:?}") };
    assert!(dependency.dev && dependency.source.as_deref() == Some("git+x") && dependency.requirement == "^2");
}
