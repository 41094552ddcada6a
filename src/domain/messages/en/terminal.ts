import { createFormat } from '../language.ts'

const { plural } = createFormat('en')

/** The terminal: its letters, prompts and lines of its own. Keys stay as they are. */
export const terminal = {
  intro: ({ version }: { version: string }) =>
    `Countersign ${version} · /help tells what it can do · Ctrl-C stops, then quits`,
  start: ({ models, sandbox }: { models: string; sandbox: string }) =>
    `Model: ${models}. Sandbox: ${sandbox}.`,
  /** Where lines are piped, which begin with no other line that names it. */
  help: '/help lists the commands.',
  offline:
    'No model is set: the offline one follows a few plain phrases. Try “list the files here”, or “run touch hello.txt”, which asks you first.',
  modelThen: ({ first, second }: { first: string; second: string }) => `${first}, then ${second}`,
  modelByText: ({ name }: { name: string }) => `${name} (calls tools by blocks in its text)`,
  modelInDoubt: ({ name, why }: { name: string; why: string }) =>
    `${name} (whether it has tool calls of its own is not known: ${why})`,
  approve: 'approve',
  deny: 'deny',
  details: 'details',
  always: 'always',
  reason: 'reason',
  batchKeys: 'y approve all · r one by one · n deny all',
  choiceKeys: 'a always · t this turn · m 15 min · h 1 h · x 5 times',
  thenEnter: ({ keys }: { keys: string }) => `${keys}, then Enter`,
  reasonPrompt: 'reason (Enter: none, Esc: back)',
  moreWait: ({ count }: { count: number }) => `${count} wait`,
  approvals: ({ count }: { count: number }) => `${count} ${plural(count, 'approval', 'approvals')}`,
  allAnswered: 'all are answered',
  inTime: ({ time }: { time: string }) => `in ${time}`,
  now: 'now',
  expiresNow: 'expires now',
  expiresIn: ({ time }: { time: string }) => `expires in ${time}`,
  cardCame: ({ name }: { name: string }) => `${name} came while you wrote. Answer again.`,
  batchCame: ({ name }: { name: string }) =>
    `A card for ${name} came while you wrote. Answer again.`,
  alwaysNotOffered: ({ number }: { number: number }) =>
    `Always is not offered for approval ${number}.`,
  alwaysOnSingleCards: 'Always is offered on single cards; r shows them.',
  notTaken: ({ why }: { why: string }) => `That was not taken: ${why}`,
  wrong: 'something went wrong',
  approvedFor: ({ life }: { life: string }) => `approve, ${life},`,
  batchActions: { approve_all: 'approve all', review: 'one by one', deny_all: 'deny all' },
  thinking: 'thinking',
  writing: 'writing',
}
