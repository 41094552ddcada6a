// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are commands of a shell.
import { describe, expect, test } from 'vitest'
import { lex } from '../../../../../src/rules/gate/shell/words/lex.ts'

function texts(command: string): readonly string[] | undefined {
  return lex(command)?.tokens.map(({ text }) => text)
}

describe('our own reading of a command', () => {
  test.each([
    ['ls -l | wc', ['ls', '-l', '|', 'wc']],
    ['ls;pwd&&id', ['ls', ';', 'pwd', '&&', 'id']],
    ['echo "a b"c\'d e\'f\\ g', ['echo', '"a b"c\'d e\'f\\ g']],
    ['ls # a "quote', ['ls']],
    ["ls # it's\nrm x #'", ['ls', '\n', 'rm', 'x']],
    ['echo a#b "#c" \\#d', ['echo', 'a#b', '"#c"', '\\#d']],
    ['ls;#x', ['ls', ';']],
    ['(#x\nls)', ['(', '\n', 'ls', ')']],
    ['ls 2>&1 3x>y', ['ls', '2', '>&', '1', '3x', '>', 'y']],
    ['ls &>>x', ['ls', '&>>', 'x']],
    ['echo "$(ls "a b")" $x', ['echo', '"$(ls "a b")"', '$x']],
    ['echo $(ls; (pwd))z', ['echo', '$(ls; (pwd))z']],
    ['echo ${x}y$?', ['echo', '${x}y$?']],
  ])('SHELL-03 %j is %j', (command, expected) => {
    expect(texts(command)).toEqual(expected)
  })

  test.each([
    "'",
    '"',
    'echo `ls`',
    'echo "`ls`"',
    "echo $'x'",
    'echo $"x"',
    'echo $((x))',
    'echo $[1]',
    'echo ${x:-y}',
    'echo ${!x}',
    'echo ${x@P}',
    'echo "${a[0]}"',
    'echo $(ls',
    'echo $(ls # )',
    'ls)',
    'echo \\',
    'echo a\\\nb',
    `echo ${'$(ls '.repeat(30)}${')'.repeat(30)}`,
  ])('SHELL-03 %j is not read at all', (command) => {
    expect(lex(command)).toBeUndefined()
  })
})
