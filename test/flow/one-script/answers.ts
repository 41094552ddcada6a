import { call, calls, say, toRequest } from '../../support/scripted-model.ts'
import {
  answersAll,
  approves,
  approvesAlways,
  denies,
  edits,
  type Script,
  says,
  sees,
  seesCard,
} from './script.ts'

const six = [1, 2, 3, 4, 5, 6].map((number) =>
  toRequest('bash', { command: `printf six-${number}` }, `six_${number}`),
)
const three = ['one', 'two', 'three'].map((word) =>
  toRequest('bash', { command: `printf ${word}` }, `three_${word}`),
)

/** Every way to answer a card. */
export const answers: readonly Script[] = [
  {
    title: 'TERM-02 APPR-01 APPR-05 APPR-13 a call that a person approves',
    scenes: [['greet', call('bash', { command: 'printf hello' }, 'greet_1'), say('**Greeted.**')]],
    steps: [
      says('greet'),
      seesCard(1, 'printf hello'),
      approves(1),
      seesCard(1, 'exit 0'),
      sees('Greeted.'),
    ],
  },
  {
    title:
      'TERM-02 APPR-07 a call that is allowed always, and the next of its kind, which nobody is asked about',
    scenes: [
      [
        'look twice',
        call('bash', { command: 'git --version' }, 'look_1'),
        call('bash', { command: 'git --version' }, 'look_2'),
        say('Looked twice.'),
      ],
    ],
    steps: [
      says('look twice'),
      seesCard(1, 'git --version'),
      approvesAlways(1),
      sees('Looked twice.'),
      says('/grants'),
      sees('Rules that “Always” wrote for everybody', 'git --version'),
    ],
  },
  {
    title: 'TERM-02 APPR-03 a call that is denied with a reason, and one that is denied without',
    scenes: [
      [
        'tidy up',
        call('bash', { command: 'rm -rf old' }, 'tidy_1'),
        call('bash', { command: 'rm -rf older' }, 'tidy_2'),
        say('Left as it is.'),
      ],
    ],
    steps: [
      says('tidy up'),
      seesCard(1, 'rm -rf old'),
      denies(1, 'it is needed until Friday'),
      seesCard(1, 'it is needed until Friday'),
      seesCard(2, 'rm -rf older'),
      denies(2),
      sees('Left as it is.'),
    ],
  },
  {
    title: 'TERM-02 APPR-14 APPR-06 a call that is changed, and runs as it was changed',
    scenes: [['count', call('bash', { command: 'printf wrong' }, 'count_1'), say('Counted.')]],
    steps: [
      says('count'),
      seesCard(1, 'printf wrong'),
      edits(1, 'printf right'),
      seesCard(1, 'changed by'),
      seesCard(2, 'printf right', 'exit 0'),
      sees('Counted.'),
    ],
  },
  {
    title: 'TERM-02 APPR-10 three questions at once, each with a card, answered out of order',
    scenes: [['three things', calls(three, 'Three things.'), say('Two of three.')]],
    steps: [
      says('three things'),
      seesCard(3, 'printf three'),
      approves(3),
      denies(1, 'not that one'),
      approves(2),
      sees('Two of three.'),
    ],
  },
  {
    title: 'TERM-02 APPR-20 six questions on one card, all approved; and six, all denied',
    scenes: [
      ['six things', calls(six), say('Six of six.')],
      ['six others', calls(six), say('None of six.')],
    ],
    steps: [
      says('six things'),
      sees('printf six-1', 'printf six-6'),
      answersAll('approve'),
      sees('Six of six.'),
      says('six others'),
      answersAll('deny'),
      sees('None of six.'),
    ],
  },
]
