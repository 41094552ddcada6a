import type { Effect, EffectKind } from '../../domain/effect.ts'

/** Sentences of the shell's checks, with the kind of effect that a card shows for each; a group is the effect's subject. */
const hazards: readonly (readonly [sentence: RegExp, kind: EffectKind])[] = [
  [
    /^(?:sudo|sudoedit|doas|pkexec|gosu|su|su-exec|runuser|run0|sudo-rs) runs other commands$/,
    'other_user',
  ],
  [/^(.+) runs other commands$/s, 'runs_more'],
  [/^(python -m) runs .+$/s, 'runs_more'],
  [/^(\S+) changes or evaluates things in the shell$/, 'changes_shell'],
  [/^(printf) sets a variable by %n$/, 'changes_shell'],
  [/^(.+) is given something that runs commands or opens files$/s, 'runs_or_writes'],
  [/^(.+) can run commands or write files$/s, 'runs_or_writes'],
  [/^(find) -delete can run or write something$/, 'deletes'],
  [/^(.+) can run or write something$/s, 'runs_or_writes'],
  [/^(.+) writes files or settings$/s, 'runs_or_writes'],
  [/^(.+) writes its second file$/s, 'runs_or_writes'],
  [/^(sed) .+ can write files or run code$/s, 'runs_or_writes'],
  [/^this (sed) script can write files or run commands$/, 'runs_or_writes'],
  [/^this (awk) program can open or write files or run commands$/, 'runs_or_writes'],
  [/^(.+) runs code from its input$/s, 'runs_input'],
  [/^(.+) runs what its input says$/s, 'runs_input'],
  [/^(.+) runs what the pipe gives it$/s, 'runs_input'],
  [/^(.+) may run the text that it is given to read$/s, 'runs_input'],
  [/^What (.+) is given to run by other commands is not bound.*$/s, 'runs_input'],
  [/^(.+) gives .+ words that the text does not tell$/s, 'feeds'],
  [/^Files that (.+) gives to .+ are not known before it runs, and not bound$/s, 'feeds'],
  [/^it may run "(.+)", which a rule denies$/s, 'may_run_denied'],
  [/^(.+) can change what git runs$/s, 'runs_more'],
  [/^(.+) may be an alias or run programs$/s, 'runs_more'],
  [/^(git) runs a program for the strategy .+$/s, 'runs_more'],
  [/^(.+) evaluates its arguments$/s, 'runs_more'],
  [/^(.+) can (?:run commands|run code|load or run code)$/s, 'runs_more'],
  [/^(.+) can run code given on the command line$/s, 'runs_given'],
  [/^(.+) takes variables that change what it runs$/s, 'runs_more'],
  [/^(.+) may be a program of its own$/s, 'runs_more'],
  [/^(.+) runs (?:commands|code|code that its name does not tell)$/s, 'runs_more'],
  [/^(.+) may run .+$/s, 'runs_more'],
  [/^(tar) takes a name with a colon for another host$/, 'reaches_network'],
  [/^it sets a variable, (.+), that may change what runs$/s, 'sets_variable'],
  [/^Files that are run because (.+) is set are not bound$/s, 'sets_variable'],
  [/^for sets (.+)$/s, 'sets_variable'],
  [/^it goes back to a directory that its text does not name$/, 'moves'],
  [/^(?:a loop changes the directory|it changes the directory too often)$/, 'moves'],
  [/^(.+) may stand for what a rule asks about$/s, 'touches_kept'],
  [/^it redirects (?:by a descriptor|to or from a file) that .+$/s, 'redirects'],
  [/^it has more than \d+ characters$/, 'too_long'],
  [/^it holds more than \d+ (?:commands|words)$/, 'too_long'],
  [/^there are more rules than its patterns can be tried on$/, 'too_long'],
  [/^The command is too long to tell .+$/s, 'too_long'],
  [/^it holds (?:a carriage return|a blank|unprintable|stacked marks).*$/s, 'hidden_characters'],
  [/^it continues a line with a backslash$/, 'hidden_characters'],
  [/^it names (.+), outside the workspace$/s, 'names_outside'],
  [/^it tests by (.+)$/s, 'unanalysable'],
  [
    /^Further files of the workspace that (.+) runs are not bound and may change until then$/s,
    'changing_code',
  ],
  [
    /^It may run .+ files of the workspace than can be bound, which may change until it runs: (.+)$/s,
    'changing_code',
  ],
  [/^The command may itself write (.+) before it runs it: .+$/s, 'changing_code'],
  [/^What (.+) stands for is not known before it runs, and not bound$/s, 'unknown_code'],
  [/^A file that it reads is not known before it runs, and not bound$/, 'unknown_code'],
  [/^it is (?:more than a list of commands|not made of literal words).*$/s, 'unanalysable'],
  [/^(?:it cannot be parsed|its words cannot be told apart with certainty)$/, 'unanalysable'],
  [
    /^(?:a part of it has no command|for takes words from elsewhere|it holds a here-string)$/,
    'unanalysable',
  ],
  [
    /^a (?:program name is quoted, escaped or made up|word of the shell stands where a program should)$/,
    'unanalysable',
  ],
  [
    /^(?:the parser is not sure of it|no command was found in it|it holds a here-document .+)$/s,
    'unanalysable',
  ],
]

/** CARD-01: what a card shows for a sentence of the shell's checks; one that is not listed is shown as it is. */
export function hazardEffect(sentence: string): Effect {
  for (const [form, kind] of hazards) {
    const found = form.exec(sentence)
    if (found !== null) return { kind, ...(found[1] !== undefined && { of: found[1] }) }
  }
  return { kind: 'other', of: sentence }
}
