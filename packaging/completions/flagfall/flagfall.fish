# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_flagfall_global_optspecs
    string join \n h/help V/version
end

function __fish_flagfall_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_flagfall_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_flagfall_using_subcommand
    set -l cmd (__fish_flagfall_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c flagfall -n "__fish_flagfall_needs_command" -s h -l help -d 'Print help'
complete -c flagfall -n "__fish_flagfall_needs_command" -s V -l version -d 'Print version'
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "adjudicate" -d 'What do the rules say of this fallen flag, or of this claim, end or illegal move?'
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "calibrate" -d 'Learn which man is which at one board, and keep it in a file for `board.calibration_file`.'
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "run" -d 'Serve the boards of the configuration: read them, record them, publish them'
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "demo" -d 'Play two games on emulated boards and show what subscribers and arbiters receive'
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "check-config" -d 'Reads the configuration as `flagfall run` would, and shows the boards and services that would start, or all errors'
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "collect" -d 'Collect the games of all boards of an event from the broker, and send them to broadcasts.'
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "doctor" -d 'Checks boards and ports, the broker, the clock, the disk and the service, and says what to do'
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "replay" -d 'Feed a trace or journal to the core again and show what comes out.'
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "trace" -d 'Make traces'
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "emulate" -d 'Emulated boards on pseudo-terminals, for trying programs without hardware.'
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "event" -d 'Manage the event of an organiser: rounds, pairings, devices and results'
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "fleet" -d 'Prepare the machines of a hall from one file, and look whether they all work'
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "devices" -d 'List serial ports, and boards over USB-HID: names, USB ids, which board it may be, which process has it open, and whether you may open it.'
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "record" -d 'Write a trace of everything that passes on a port.'
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "schema" -d 'Show the JSON Schema of a kind of message, or list them'
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "screens" -d 'Write the pages for browsers into a folder, for a web server that you have.'
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "simulate" -d 'Play recorded games again at a simulated board, with noise, and score what is made of them.'
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "winnable" -d 'Can a player still checkmate, by any series of legal moves?'
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l fen -d 'The position after the last move made before the flag was observed: a FEN of four or six fields. If it is not known which of several positions that was, give the option several times, six times at most. After an illegal move: the position that is restored' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l flagged -d 'Whose flag fell. Without it no flag has fallen, and the ruling is on an end, a claim or an illegal move (--ended, --claim, --illegal), without a time' -r -f -a "white\t''
black\t''"
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l profile -d 'The rules, with add-ons after `+`' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l completed -d 'Moves that this player completed (made and pressed) before the fall, from the first of the game' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l time-control -d 'The time control, PGN notation: `300+5`, `40/5400+30:1800+30`' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l period -d 'The period in which the flag fell, from 1. It is not needed if there is only one, or if fewer moves were completed than the first one requires' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l not-pressed -d 'The last move on the board, if it is made and its clock was not pressed; the position contains it' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l order -d 'Which of both fell first. Default: it is not known' -r -f -a "unknown\t''
white-first\t''
black-first\t''"
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l agreed-first -d 'With both flags down: the player whose flag fell first, as both players agree (club points 8, 11, 25)' -r -f -a "white\t''
black\t''"
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l other-flag -d 'With both flags down: what is known of the other one' -r -f -a "seen\t'It was observed or claimed together with this one'
not-seen\t'It was down, and nobody has observed or claimed it'
fell-later\t'It fell after this one was observed or claimed'
perhaps-later\t'It is not known whether it was down when this one was observed or claimed'"
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l other-completed -d 'Moves that the other player completed: before his flag fell, or before this one fell' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l other-period -d 'The period in which the other flag fell, from 1, where that is needed' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l ended -d 'The game ended: checkmate, stalemate, dead-position (in the position of --fen), fivefold, 75-moves; resignation and the player who resigned; agreement, with both-moved or not-both-moved; king-captured and the player who captured it (club). Then the time; in a club that is the time of the press. A dead-position or 75-moves may be rejected (by an arbiter)' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l claim -d 'A claim: repetition, 50-moves, normal-means (III.5, 10.2, 14H) or additional-time (III.4); the claimant; lodged (without a ruling), accepted or refused; the time; with refused perhaps time-added, if the opponent got the time due to him' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l illegal -d 'An illegal move that was completed: move, pawn-not-replaced, press-without-move or two-hands; who made it; open (without a ruling), settled (nobody said whether it counts), counted or not-counted; the time; replied, if the opponent has made his next move (A.5.2), in a club replied-and-pressed; with counted perhaps time-added' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l illegal-position -d 'An illegal position still stood after the next move (A.5.4): before-flag, after-flag, after-call or unknown' -r -f -a "before-flag\t''
after-flag\t''
after-call\t''
unknown\t''"
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l scoresheet -d 'The claimant\'s scoresheet is reasonably complete (US Chess 13C7)' -r -f -a "yes\t''
no\t''"
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l clocks-stopped -d 'Both clocks were stopped with the declaration (club point 10)' -r -f -a "yes\t''
no\t''"
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l nodes -d 'Give up the search for a mate after so many positions generated' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l shorter -d 'Give up the search for a shorter line after so many positions generated; 0 = do not look for one' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l perhaps-one-more -d 'One move more may have been completed before the fall'
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l moves-missing -d 'Moves may have been made that nobody recorded'
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l observed -d 'An arbiter observed the fall'
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l claimed -d 'The opponent claimed it (in a club: declared it)'
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l called -d 'Somebody called it, and it is not known who'
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l both-flags -d 'Both flags are down'
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l open-offer -d 'A player may still accept an offer of a draw'
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l seemed-over -d 'The game seemed to have ended before the flag fell, and no result was entered'
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l setting-differs -d 'The clock is set otherwise than the time control says'
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l sides-doubted -d 'It is doubtful whose display of the clock is whose'
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -l json -d 'Print one JSON object: `rulings`, each with `finding` and `screen`, the one that decides last, and `time_control` in words'
complete -c flagfall -n "__fish_flagfall_using_subcommand adjudicate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand calibrate" -l driver -d 'The device family' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand calibrate" -l spares -d 'End when so many spare men are known; 0 = there are none' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand calibrate" -l seconds -d 'End after so many seconds, whatever is known' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand calibrate" -l bluetooth -d 'A device by Bluetooth LE'
complete -c flagfall -n "__fish_flagfall_using_subcommand calibrate" -l force -d 'Replace the file if it exists'
complete -c flagfall -n "__fish_flagfall_using_subcommand calibrate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand run" -l config -d 'A configuration file; may be given several times, a later one over the earlier ones. Without it /etc/flagfall/flagfall.toml and /etc/flagfall/event.toml' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand demo" -l speed -d 'The speed, as a multiple of people\'s speed, 0.1 to 2. A board is not read faster than that' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand demo" -l delay -d 'The delay of the public audience in seconds' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand demo" -l tcp -d 'Where the broker listens for MQTT, so that you can subscribe too; port 0 takes any that is free' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand demo" -l websocket -d 'Where it listens for MQTT over WebSocket' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand demo" -l screens -d 'Where the pages for browsers are served, on this machine' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand demo" -l serve -d 'Offer the boards to programs on this machine over the LiveChess API, at 127.0.0.1:1982 or at another address of this machine' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand demo" -l once -d 'End after the games; exit code 0 only if everything arrived'
complete -c flagfall -n "__fish_flagfall_using_subcommand demo" -l open -d 'Open the pages in the browser of this desktop'
complete -c flagfall -n "__fish_flagfall_using_subcommand demo" -l plain -d 'Print one line for each event, as without a terminal'
complete -c flagfall -n "__fish_flagfall_using_subcommand demo" -l no-color -d 'No colour'
complete -c flagfall -n "__fish_flagfall_using_subcommand demo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand check-config" -l config -d 'A file; a later one lies over the earlier ones. Without any: /etc/flagfall/flagfall.toml, then /etc/flagfall/event.toml' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand check-config" -l json -d 'Print one JSON object'
complete -c flagfall -n "__fish_flagfall_using_subcommand check-config" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand collect" -l config -d 'A configuration file; may be given several times, a later one over the earlier ones. Without it /etc/flagfall/flagfall.toml and /etc/flagfall/event.toml' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand collect" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand doctor" -l config -d 'A configuration file; a later one lies over the earlier ones. Without any: /etc/flagfall/flagfall.toml, then /etc/flagfall/event.toml' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand doctor" -l json -d 'Print one JSON object: `ok`, and `findings` with `about`, `state`, `found`, `advice`'
complete -c flagfall -n "__fish_flagfall_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand replay" -l pgn -d 'Print the games as PGN, as a live broadcast receives them: `full` for files and viewers, `relay` for lichess' -r -f -a "relay\t''
full\t''"
complete -c flagfall -n "__fish_flagfall_using_subcommand replay" -l journal -d 'Record everything in this directory, as the daemon does, and print every message as with --json. An existing journal continues where it broke off' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand replay" -l time-control -d 'Time control in PGN notation, instead of the trace\'s own: `300+5`, `40/5400+30:1800+30`, `300d3` (US delay), `300b3` (Bronstein)' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand replay" -l white-clock -d 'Which display of the clock is White\'s, as seen from its front' -r -f -a "left\t''
right\t''"
complete -c flagfall -n "__fish_flagfall_using_subcommand replay" -l json -d 'Print every message, one JSON object a line: topic, retain, payload'
complete -c flagfall -n "__fish_flagfall_using_subcommand replay" -l summary -d 'Print the game, and at the end one JSON object with everything that came out'
complete -c flagfall -n "__fish_flagfall_using_subcommand replay" -l verify -d 'Compare what comes out with what the journal says was sent, and check every recorded answer on Article 6.9 again, completely; exit code 1 if something differs. A hard position takes its time again'
complete -c flagfall -n "__fish_flagfall_using_subcommand replay" -l chess960 -d 'Write castling as king takes rook'
complete -c flagfall -n "__fish_flagfall_using_subcommand replay" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand trace; and not __fish_seen_subcommand_from import" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand trace; and not __fish_seen_subcommand_from import" -f -a "import" -d 'Turn a raw capture (JSON lines with `dir`, `hex` and maybe `t`) into a trace'
complete -c flagfall -n "__fish_flagfall_using_subcommand trace; and __fish_seen_subcommand_from import" -l driver -d 'The device family that wrote it' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand trace; and __fish_seen_subcommand_from import" -s o -l output -d 'The trace file to be written' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand trace; and __fish_seen_subcommand_from import" -l time-control -d 'Time control in PGN notation, kept in the trace\'s head: `300+5`, `40/5400+30:1800+30`' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand trace; and __fish_seen_subcommand_from import" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand emulate" -l script -d 'Hands move as this file says; with several of them each board has its own' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand emulate" -l game -d 'A game of the demonstration, 1 or 2' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand emulate" -l driver -d 'The family whose board it is, as `flagfall devices --supported` names it' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand emulate" -l link -d 'Make a symbolic link here that leads to the board\'s path, for a name that stays the same; of several boards PATH-1, PATH-2 and so on' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand emulate" -l serial -d 'Serial number that the (first) board answers, 0 to 65535; on one line with others 1 to 16383' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand emulate" -l option -d 'Another form of the family\'s board: what it sends, or how. An unknown name lists all of them' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand emulate" -l boards -d 'So many boards, at most 1000; of a family that shares a line 12, and they share one' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand emulate" -l speed -d 'The speed, as a multiple of people\'s speed, 0.01 to 1000; it holds for the time of the board and the clock too' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand emulate" -l seed -d 'Other hands for the same game: in which way each move is made, and how fast' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand emulate" -l lose-updates -d 'The share of field updates that are lost on their way, 0 to 100 per cent. Answers to questions are never lost. Only the usual board, `dgt`, has this option' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand emulate" -l loss-seed -d 'Which updates are lost: the same number loses the same ones' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand emulate" -l after -d 'Seconds until the hands begin, so that a program can connect first' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand emulate" -l linger -d 'Seconds that the board stays when the hands are done' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand emulate" -l sent -d 'Write into this file what the boards send: the microseconds since the machine was started, the serial number, the bytes' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand emulate" -l idle -d 'No man is moved; the board stays until Ctrl-C'
complete -c flagfall -n "__fish_flagfall_using_subcommand emulate" -l json -d 'Report what happens as JSON, one object a line'
complete -c flagfall -n "__fish_flagfall_using_subcommand emulate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and not __fish_seen_subcommand_from new import bind publish round lichess fetch result results archive ready status retry reset game reset-board" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and not __fish_seen_subcommand_from new import bind publish round lichess fetch result results archive ready status retry reset game reset-board" -f -a "new" -d 'Make the file of a new event'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and not __fish_seen_subcommand_from new import bind publish round lichess fetch result results archive ready status retry reset game reset-board" -f -a "import" -d 'Read the pairings of a round from a file of a pairing program'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and not __fish_seen_subcommand_from new import bind publish round lichess fetch result results archive ready status retry reset game reset-board" -f -a "bind" -d 'Say which device serves which board, from the current round on'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and not __fish_seen_subcommand_from new import bind publish round lichess fetch result results archive ready status retry reset game reset-board" -f -a "publish" -d 'Publish the event with all its rounds, so that nodes and collectors use it'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and not __fish_seen_subcommand_from new import bind publish round lichess fetch result results archive ready status retry reset game reset-board" -f -a "round" -d 'Make a round the current one, and publish the event'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and not __fish_seen_subcommand_from new import bind publish round lichess fetch result results archive ready status retry reset game reset-board" -f -a "lichess" -d 'Say which round at lichess a round of the event is, and publish the event'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and not __fish_seen_subcommand_from new import bind publish round lichess fetch result results archive ready status retry reset game reset-board" -f -a "fetch" -d 'Make the event\'s file again from what is published'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and not __fish_seen_subcommand_from new import bind publish round lichess fetch result results archive ready status retry reset game reset-board" -f -a "result" -d 'Enter the result of a game'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and not __fish_seen_subcommand_from new import bind publish round lichess fetch result results archive ready status retry reset game reset-board" -f -a "results" -d 'Write the results of a round: those of the games on the boards, and those that the event\'s file has'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and not __fish_seen_subcommand_from new import bind publish round lichess fetch result results archive ready status retry reset game reset-board" -f -a "archive" -d 'Keep the record of a round in a folder: its games as PGN with how they ended, and what arbiters saw of each board at last'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and not __fish_seen_subcommand_from new import bind publish round lichess fetch result results archive ready status retry reset game reset-board" -f -a "ready" -d 'Show whether every board of the current round is ready: device, battery, clock, players, nodes and alarms'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and not __fish_seen_subcommand_from new import bind publish round lichess fetch result results archive ready status retry reset game reset-board" -f -a "status" -d 'Show what the outputs of all collectors do, and which of the organiser\'s messages nodes and collectors cannot use'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and not __fish_seen_subcommand_from new import bind publish round lichess fetch result results archive ready status retry reset game reset-board" -f -a "retry" -d 'Let an output try to send now'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and not __fish_seen_subcommand_from new import bind publish round lichess fetch result results archive ready status retry reset game reset-board" -f -a "reset" -d 'Let an output empty the round at the receiver and send everything again'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and not __fish_seen_subcommand_from new import bind publish round lichess fetch result results archive ready status retry reset game reset-board" -f -a "game" -d 'Say which game of a board is the round\'s game, and publish the event'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and not __fish_seen_subcommand_from new import bind publish round lichess fetch result results archive ready status retry reset game reset-board" -f -a "reset-board" -d 'Let collectors take the present state of a board even if it has fewer moves, and publish the event'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from new" -l name -d 'The name of the event' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from new" -l rounds -d 'The number of rounds, 1 to 99' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from new" -l time-control -d 'The time control, in PGN notation' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from new" -l profile -d 'The rules, as event.profile of the configuration' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from new" -l site -d 'The town' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from new" -l country -d 'The country, three letters' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from new" -l delay -d 'The delay of the public, seconds' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from new" -l delay-moves -d 'The delay of the public in half-moves' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from new" -l file -d 'The event\'s file. Without it: the only event file of the present folder' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from new" -l chess960 -d 'The games are Chess960'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from new" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from import" -l round -d 'The round. Without it: the one that the file names, else the current one' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from import" -l start -d 'When the round begins, with the distance from UTC, for example 2026-11-21T14:00:00+01:00. What is played on a board more than five minutes before it is not of the round' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from import" -l format -d 'The format. Without it: by the end of the file\'s name' -r -f -a "pgn\t'PGN with one game for each pairing'
csv\t'CSV with a header line'
trf\t'FIDE\'s tournament report file'
livechess\t'index.json of a round, as DGT LiveChess exports it'"
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from import" -l encoding -d 'The encoding, for example windows-1250. Without it: UTF-8, else Windows-1252' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from import" -l boards -d 'Only these boards, for example 1-20,25; the others stay as they are' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from import" -l boards-from -d 'A CSV file with board, white and black, for a file without board numbers (TRF)' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from import" -l file -d 'The event\'s file. Without it: the only event file of the present folder' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from import" -l dry-run -d 'Show what would change, and change nothing'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from import" -l corrections -d 'Other names are corrections of the same players: receivers go on with the same games'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from import" -l yes -d 'Change pairings of a round that may have begun, or take guessed board numbers'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from import" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from bind" -l file -d 'The event\'s file. Without it: the only event file of the present folder' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from bind" -l config -d 'A configuration file with the broker and the organiser\'s login in its section [mqtt]; a later one lies over the earlier ones. Without any: /etc/flagfall/flagfall.toml, then /etc/flagfall/event.toml' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from bind" -l in-order -d 'Bind the devices that answer now to the boards without a device, both in their natural order'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from bind" -l ask -d 'Ask for each board without a device: somebody sets a king on d4, and the device whose men change is bound to the board. A game that is on does not count'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from bind" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from publish" -l file -d 'The event\'s file. Without it: the only event file of the present folder' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from publish" -l config -d 'A configuration file with the broker and the organiser\'s login in its section [mqtt]; a later one lies over the earlier ones. Without any: /etc/flagfall/flagfall.toml, then /etc/flagfall/event.toml' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from publish" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from round" -l file -d 'The event\'s file. Without it: the only event file of the present folder' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from round" -l config -d 'A configuration file with the broker and the organiser\'s login in its section [mqtt]; a later one lies over the earlier ones. Without any: /etc/flagfall/flagfall.toml, then /etc/flagfall/event.toml' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from round" -l force -d 'Boards change even while their game goes on'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from round" -l again -d 'Begin a round anew that was left: nodes replace what is published of it'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from round" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from lichess" -l round -d 'The number of the round; without it, the current one' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from lichess" -l token-file -d 'A file with the token of the account, which others must not be able to read' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from lichess" -l url -d 'The address of lichess, for --token-file' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from lichess" -l file -d 'The event\'s file. Without it: the only event file of the present folder' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from lichess" -l config -d 'A configuration file with the broker and the organiser\'s login in its section [mqtt]; a later one lies over the earlier ones. Without any: /etc/flagfall/flagfall.toml, then /etc/flagfall/event.toml' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from lichess" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from fetch" -l file -d 'The event\'s file. Without it: the only event file of the present folder' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from fetch" -l config -d 'A configuration file with the broker and the organiser\'s login in its section [mqtt]; a later one lies over the earlier ones. Without any: /etc/flagfall/flagfall.toml, then /etc/flagfall/event.toml' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from fetch" -l replace -d 'Replace a file that is there'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from fetch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from result" -l round -d 'The number of the round; without it, the current one' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from result" -l file -d 'The event\'s file. Without it: the only event file of the present folder' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from result" -l config -d 'A configuration file with the broker and the organiser\'s login in its section [mqtt]; a later one lies over the earlier ones. Without any: /etc/flagfall/flagfall.toml, then /etc/flagfall/event.toml' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from result" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from results" -l format -d 'The form of the results' -r -f -a "csv\t''
pgn\t''
trf\t''"
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from results" -l into -d 'The file. For trf it is the organiser\'s own file, in which only the results of the round change. Without it: standard output' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from results" -l round -d 'The round. Without it: the current one' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from results" -l encoding -d 'The encoding of a TRF file. Without it: UTF-8, else Windows-1252' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from results" -l file -d 'The event\'s file. Without it: the only event file of the present folder' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from results" -l config -d 'A configuration file with the broker and the organiser\'s login in its section [mqtt]; a later one lies over the earlier ones. Without any: /etc/flagfall/flagfall.toml, then /etc/flagfall/event.toml' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from results" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from archive" -l round -d 'The round. Without it: the current one' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from archive" -l into -d 'The folder. Without it: <ID>-round-<R> in the present folder' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from archive" -l file -d 'The event\'s file. Without it: the only event file of the present folder' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from archive" -l config -d 'A configuration file with the broker and the organiser\'s login in its section [mqtt]; a later one lies over the earlier ones. Without any: /etc/flagfall/flagfall.toml, then /etc/flagfall/event.toml' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from archive" -l incomplete -d 'Write what is there, although the record of a board is missing'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from archive" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from ready" -l file -d 'The event\'s file. Without it: the only event file of the present folder' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from ready" -l config -d 'A configuration file with the broker and the organiser\'s login in its section [mqtt]; a later one lies over the earlier ones. Without any: /etc/flagfall/flagfall.toml, then /etc/flagfall/event.toml' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from ready" -l json -d 'Print one JSON object'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from ready" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from status" -l config -d 'A configuration file with the broker and the organiser\'s login in its section [mqtt]; a later one lies over the earlier ones. Without any: /etc/flagfall/flagfall.toml, then /etc/flagfall/event.toml' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from retry" -l file -d 'The event\'s file. Without it: the only event file of the present folder' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from retry" -l config -d 'A configuration file with the broker and the organiser\'s login in its section [mqtt]; a later one lies over the earlier ones. Without any: /etc/flagfall/flagfall.toml, then /etc/flagfall/event.toml' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from retry" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from reset" -l file -d 'The event\'s file. Without it: the only event file of the present folder' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from reset" -l config -d 'A configuration file with the broker and the organiser\'s login in its section [mqtt]; a later one lies over the earlier ones. Without any: /etc/flagfall/flagfall.toml, then /etc/flagfall/event.toml' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from reset" -l yes -d 'Viewers lose the games until they are sent again: this must be said'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from reset" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from game" -l file -d 'The event\'s file. Without it: the only event file of the present folder' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from game" -l config -d 'A configuration file with the broker and the organiser\'s login in its section [mqtt]; a later one lies over the earlier ones. Without any: /etc/flagfall/flagfall.toml, then /etc/flagfall/event.toml' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from game" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from reset-board" -l file -d 'The event\'s file. Without it: the only event file of the present folder' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from reset-board" -l config -d 'A configuration file with the broker and the organiser\'s login in its section [mqtt]; a later one lies over the earlier ones. Without any: /etc/flagfall/flagfall.toml, then /etc/flagfall/event.toml' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand event; and __fish_seen_subcommand_from reset-board" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand fleet; and not __fish_seen_subcommand_from make status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand fleet; and not __fish_seen_subcommand_from make status" -f -a "make" -d 'Write the files of all machines of an event: access rules, passwords, certificates and one folder for each card'
complete -c flagfall -n "__fish_flagfall_using_subcommand fleet; and not __fish_seen_subcommand_from make status" -f -a "status" -d 'Show whether every machine of the event is there and works: program, clock, disk, boards, and the broker itself'
complete -c flagfall -n "__fish_flagfall_using_subcommand fleet; and __fish_seen_subcommand_from make" -l rotate -d 'Make the password of this machine or user new. "certificate" = the broker\'s key and certificate, "relay" = the password at the broker outside' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand fleet; and __fish_seen_subcommand_from make" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand fleet; and __fish_seen_subcommand_from status" -l user -d 'The user of the login from OUT. Not set: the first organiser of the event' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand fleet; and __fish_seen_subcommand_from status" -l config -d 'A configuration file with a login in its section [mqtt]; a later one lies over the earlier ones. Without any: /etc/flagfall/flagfall.toml, then /etc/flagfall/event.toml' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand fleet; and __fish_seen_subcommand_from status" -l wait -d 'Wait until everything is right, at most this number of seconds' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand fleet; and __fish_seen_subcommand_from status" -l json -d 'Print one JSON object'
complete -c flagfall -n "__fish_flagfall_using_subcommand fleet; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand devices" -l folder -d 'A folder whose entries are ports; may be given several times [default: /dev/serial/by-id]' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand devices" -l ask -d 'Open every free port that may be a board\'s and ask for serial number and firmware. It changes nothing on the board'
complete -c flagfall -n "__fish_flagfall_using_subcommand devices" -l bluetooth -d 'List devices that advertise over Bluetooth LE instead. It connects to none'
complete -c flagfall -n "__fish_flagfall_using_subcommand devices" -l supported -d 'List the device families that this program supports, and what each can do'
complete -c flagfall -n "__fish_flagfall_using_subcommand devices" -l json -d 'Print a JSON array'
complete -c flagfall -n "__fish_flagfall_using_subcommand devices" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand record" -l driver -d 'The device family whose questions are asked' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand record" -l seconds -d 'End after so many seconds' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand record" -l baud -d 'Baud rate, if it is not the family\'s (9600 without one)' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand record" -l time-control -d 'Time control in PGN notation, kept in the trace\'s head for the replay: `300+5`' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand record" -l bluetooth -d 'A device by Bluetooth LE: everything that it notifies of is kept, with its services'
complete -c flagfall -n "__fish_flagfall_using_subcommand record" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand schema" -l typescript -d 'Show TypeScript types of all messages instead, for pages that receive them'
complete -c flagfall -n "__fish_flagfall_using_subcommand schema" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand screens" -l config -d 'A configuration file; may be given several times, a later one over the earlier ones. Without it /etc/flagfall/flagfall.toml and /etc/flagfall/event.toml' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand screens" -l out -d 'The folder, which must be empty or new' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand screens" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand simulate" -l board -d 'The board' -r -f -a "dgt\t'A DGT board by cable, with a DGT 3000'
frames\t'A board that reports all squares at once, a Millennium ChessLink; no clock'
occupancy\t'A board that reports only where something stands, a DGT Pegasus; no clock'"
complete -c flagfall -n "__fish_flagfall_using_subcommand simulate" -l noise -d 'How noisy hands, clock and board are: clean, typical, rough, or a file' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand simulate" -l irregularities -d 'Irregularities per game, 0 to 1, instead of what the level says: illegal moves, lost links, wrong clocks' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand simulate" -l seed -d 'The seed of the games: another seed gives other hands' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand simulate" -l games -d 'So many games of each file, from the first' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand simulate" -l game -d 'Only this game of each file, from 1' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand simulate" -l out -d 'Write the traces and the truth about them into this directory' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand simulate" -l json -d 'Print JSON'
complete -c flagfall -n "__fish_flagfall_using_subcommand simulate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c flagfall -n "__fish_flagfall_using_subcommand winnable" -l for -d 'The player who would have to checkmate: the opponent of the one whose flag fell' -r -f -a "white\t''
black\t''"
complete -c flagfall -n "__fish_flagfall_using_subcommand winnable" -l batch -d 'Answer every row of this CSV file; `-` = standard input' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand winnable" -l jobs -d 'Search so many positions at a time; each takes up to 64 MiB while it is hard. Default: one for each core' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand winnable" -l nodes -d 'Give up after so many positions generated, a million being some seconds' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand winnable" -l shorter -d 'Give up the search for a shorter line after so many positions generated; 0 = do not look for one' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand winnable" -l json -d 'Print one JSON object: `fen`, `for`, `verdict`, `sentence` and what proves it, `cost`'
complete -c flagfall -n "__fish_flagfall_using_subcommand winnable" -s h -l help -d 'Print help (see more with \'--help\')'
