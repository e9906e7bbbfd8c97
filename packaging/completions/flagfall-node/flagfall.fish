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
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "check-config" -d 'Reads the configuration as `flagfall run` would, and shows the boards and services that would start, or all errors'
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "collect" -d 'Collect the games of all boards of an event from the broker, and send them to broadcasts.'
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "doctor" -d 'Checks boards and ports, the broker, the clock, the disk and the service, and says what to do'
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "replay" -d 'Feed a trace or journal to the core again and show what comes out.'
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "trace" -d 'Make traces'
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "devices" -d 'List serial ports, and boards over USB-HID: names, USB ids, which board it may be, which process has it open, and whether you may open it.'
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "record" -d 'Write a trace of everything that passes on a port.'
complete -c flagfall -n "__fish_flagfall_needs_command" -f -a "schema" -d 'Show the JSON Schema of a kind of message, or list them'
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
complete -c flagfall -n "__fish_flagfall_using_subcommand winnable" -l for -d 'The player who would have to checkmate: the opponent of the one whose flag fell' -r -f -a "white\t''
black\t''"
complete -c flagfall -n "__fish_flagfall_using_subcommand winnable" -l nodes -d 'Give up after so many positions generated, a million being some seconds' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand winnable" -l shorter -d 'Give up the search for a shorter line after so many positions generated; 0 = do not look for one' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand winnable" -l batch -d 'Answer every row of this CSV file; `-` = standard input' -r -F
complete -c flagfall -n "__fish_flagfall_using_subcommand winnable" -l jobs -d 'Search so many positions at a time; each takes up to 64 MiB while it is hard. Default: one for each core' -r
complete -c flagfall -n "__fish_flagfall_using_subcommand winnable" -l json -d 'Print one JSON object: `fen`, `for`, `verdict`, `sentence` and what proves it, `cost`'
complete -c flagfall -n "__fish_flagfall_using_subcommand winnable" -s h -l help -d 'Print help (see more with \'--help\')'
