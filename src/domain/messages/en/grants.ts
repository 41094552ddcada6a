import { createFormat } from '../language.ts'

const { counted } = createFormat('en')

/** Grants and rules that Always wrote: their lists, and their end. */
export const grants = {
  none: 'There is no such grant.',
  noNumber: ({ number }: { number: string }) => `There is no grant ${number} in force.`,
  noRule: ({ number }: { number: number }) => `There is no rule w${number}. /grants lists them.`,
  ended: 'That grant has already ended.',
  revoked: ({ number, tool }: { number: number; tool: string }) =>
    `Grant ${number} (${tool}) is revoked; similar calls ask again.`,
  ownerOnly: ({ owner }: { owner: string }) => `Only ${owner} or an approver can revoke that.`,
  approversOnly: 'Only an approver or operator can revoke what applies to everybody.',
  ruleBeingRemoved: ({ number }: { number: number }) => `Rule w${number} is being removed.`,
  ruleRemoved: ({ number, tool, worker }: { number: number; tool: string; worker: string }) =>
    `Rule w${number} (${tool}) of worker ${worker} is removed; similar calls ask again.`,
  rulesDamaged: ({ worker }: { worker: string }) =>
    `The rules of worker ${worker} are damaged, so every call asks. What “Always” wrote into them can be listed and removed once they are fixed.`,
  usage: 'Usage: /grants, or /revoke n with a number from /grants',

  noneInSession: 'No grants are in force in this session.',
  noneOfYours: 'You have no grants in force in this session.',
  ofSession: ({ number }: { number: number }) =>
    `Grants in this session; /revoke ${number} revokes the first one:`,
  yours: ({ number }: { number: number }) =>
    `Your grants in this session; /revoke ${number} revokes the first one:`,
  noRules: ({ worker }: { worker: string }) =>
    `“Always” has written no rules for worker ${worker}.`,
  rules: ({ worker, number }: { worker: string; number: number }) =>
    `Rules that “Always” wrote for everybody, worker ${worker}; /revoke w${number} removes the first one:`,
  until: ({ time }: { time: string }) => `until ${time}`,
  usesLeft: ({ count }: { count: number }) => counted(count, 'use left', 'uses left'),
  untilClear: 'until /clear',
  forTurn: 'for this turn',
  forWhom: ({ name }: { name: string }) => `for ${name}`,
  grantedBy: ({ name, time }: { name: string; time: string }) => `by ${name}, ${time}`,
}
