import { ModelError } from '../../../src/ports/model.ts'
import { call, say } from '../../support/scripted-model.ts'
import { approves, denies, type Script, says, sees, seesCard } from './script.ts'

/** What a person says while something waits, and what comes of it. */
export const course: readonly Script[] = [
  {
    title:
      'TERM-02 CHAT-08 APPR-09 a message while a card waits, which the model reads at its next step',
    scenes: [
      ['begin', call('bash', { command: 'printf begun' }, 'begin_1'), say('Begun, briefly.')],
    ],
    steps: [
      says('begin'),
      seesCard(1, 'printf begun'),
      says('be brief about it'),
      sees('Noted'),
      approves(1),
      sees('Begun, briefly.'),
      says('/status'),
      sees('Model: offline scripted', 'Messages: '),
    ],
  },
  {
    title:
      'TERM-02 CHAT-03 APPR-09 commands while a card waits: /status, /approvals, /help, /permissions, and one that is none',
    scenes: [['wait', call('bash', { command: 'printf waited' }, 'wait_1'), say('Waited.')]],
    steps: [
      says('wait'),
      seesCard(1, 'printf waited'),
      says('/status'),
      sees('waiting for an answer: #1'),
      says('/approvals'),
      sees('One approval is waiting'),
      says('/help'),
      sees('/approvals', '/output'),
      says('/permissions'),
      sees('read'),
      says('/nonsense'),
      sees('There is no command /nonsense'),
      approves(1),
      seesCard(1, 'exit 0'),
      sees('Waited.'),
    ],
  },
  {
    title: 'TERM-02 LOOP-14 APPR-08 /stop while a card waits, and a turn after it',
    scenes: [
      ['hold on', call('bash', { command: 'printf held' }, 'hold_1'), say('never said')],
      ['and now', say('Now nothing is held.')],
    ],
    steps: [
      says('hold on'),
      seesCard(1, 'printf held'),
      says('/stop'),
      sees('Stopped by rosa.'),
      seesCard(1, 'cancelled'),
      says('and now'),
      sees('Now nothing is held.'),
    ],
  },
  {
    title: 'TERM-02 LOOP-13 CHAT-03 /clear while a card waits, and a fresh session after it',
    scenes: [
      ['remember this', call('bash', { command: 'printf kept' }, 'keep_1'), say('never said')],
      ['what was it', call('bash', { command: 'printf what' }, 'what_1'), say('I do not know.')],
    ],
    steps: [
      says('remember this'),
      seesCard(1, 'printf kept'),
      says('/clear'),
      sees('Cleared'),
      says('what was it'),
      seesCard(2, 'printf what'),
      denies(2, 'never mind'),
      sees('I do not know.'),
    ],
  },
  {
    title: 'TERM-02 CHAT-03 MODEL-03 a model that fails, and /retry',
    scenes: [['try it', new ModelError('refused', 'no such model'), say('It works now.')]],
    steps: [says('try it'), sees('This did not work'), says('/retry'), sees('It works now.')],
  },
]
