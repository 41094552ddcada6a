import { call, say } from '../../support/scripted-model.ts'
import { approves, type Script, says, sees, seesCard, seesFile } from './script.ts'

const numbered = (count: number, line: (number: string) => string): readonly string[] =>
  Array.from({ length: count }, (_, at) => line(String(at + 1).padStart(4, '0')))

/** More than one message of any platform takes. */
const lines = numbered(400, (number) => `${number}. this is a line of a *long* answer`)
const marks = lines.map((line) => line.slice(0, line.indexOf('*')).replace(/^\d+\. /, ''))
const longCommand = numbered(
  120,
  (number) => `printf 'a step of many, the one with the number ${number}'`,
)

/** What tools give, and what people are shown of it. */
export const results: readonly Script[] = [
  {
    title: 'TERM-02 OUT-10 CHAT-07 a long output, which /output shows whole',
    scenes: [
      [
        'print much',
        call('bash', { command: 'seq -f "line %04g" 1 3000' }, 'much_1'),
        say('Printed much.'),
      ],
    ],
    steps: [
      says('print much'),
      approves(1),
      sees('Printed much.'),
      says('/output 1'),
      seesFile('output-1.txt', 'line 0001', 'line 1500', 'line 3000'),
    ],
  },
  {
    title: 'TERM-02 APPR-02 APPR-16 a command that is too long for a card',
    scenes: [
      [
        'many steps',
        call('bash', { command: longCommand.join('\n') }, 'steps_1'),
        say('All done.'),
      ],
    ],
    steps: [
      says('many steps'),
      seesFile('approval-#1.txt', 'number 0001', 'number 0060', 'number 0120'),
      approves(1),
      seesCard(1, 'exit 0'),
      sees('All done.'),
    ],
  },
  {
    title: 'TERM-02 CHAT-05 an answer that is longer than a message may be',
    scenes: [['tell all', say(lines.join('\n'))]],
    steps: [says('tell all'), sees(...marks)],
  },
  {
    title: 'TERM-02 GATE-01 ERR-07 a call that the rules refuse, of which nobody is asked',
    scenes: [['read secrets', call('read', { path: '.env' }, 'secret_1'), say('I may not.')]],
    steps: [says('read secrets'), sees('I may not.')],
  },
  {
    title: 'TERM-02 ERR-01 tools that fail: a file that is not there, a command that ends with 3',
    scenes: [
      [
        'fail twice',
        call('read', { path: 'missing.txt' }, 'fail_1'),
        call('bash', { command: 'echo broken >&2; exit 3' }, 'fail_2'),
        say('Both failed.'),
      ],
    ],
    steps: [says('fail twice'), approves(1), seesCard(1, 'exit 3'), sees('Both failed.')],
  },
  {
    title: 'TERM-02 BASH-07 FILE-01 a file that is written, and /undo where no state is kept',
    scenes: [
      [
        'write it',
        call('write', { path: 'note.txt', content: 'a note\n' }, 'write_1'),
        say('Written.'),
      ],
    ],
    steps: [says('write it'), sees('Written.'), says('/undo'), sees('No state is kept')],
  },
]
