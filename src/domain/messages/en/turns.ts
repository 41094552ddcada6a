import { createFormat } from '../language.ts'

const { counted, number } = createFormat('en')

/** How turns go and end: failures, quotas, budgets, files, summaries. */
export const turns = {
  failed: ({ why }: { why: string }) =>
    `This did not work: ${why}. Your message is kept: /retry tries again.`,
  /** `said` are the words of the provider, or of the adapter. */
  modelFailure: ({
    said,
  }: {
    kind: 'refused' | 'too_long' | 'rate_limited' | 'unreachable' | 'broken' | 'aborted'
    said: string
  }) => said,
  noProgress: 'it was started several times without progress',
  tooLong: ({ tokens, budget }: { tokens: number; budget: number }) =>
    `the message is too long for the model: with instructions and tools it comes to about ${number(tokens)} tokens, and four fifths of ${number(budget)} is the most that fits. Send it in parts, or as a file`,
  fallback: ({ why, model }: { why: string; model: string }) =>
    `${why}. ${model} continues this turn.`,
  stepLimit: ({ limit }: { limit: number }) =>
    `The limit of ${limit} steps with tools was reached.`,
  noAnswer: '(The model gave no answer.)',
  noOutput: '(no output)',
  undoFailed: ({ why }: { why: string }) => `Undo failed: ${why}`,
  commandNotRun: ({ why }: { why: string }) => `The command was not run: ${why}`,
  commandFailed: ({ why }: { why: string }) => `The command failed: ${why}`,
  interruptedFinished: ({ number: call, tool }: { number: number; tool: string }) =>
    `Call ${call} (${tool}), reported as interrupted, finished after all; its result was recorded and not used.`,

  loopStopped: ({ loop }: { loop: string }) =>
    `Stopped, because it was going in circles: ${loop}. Write again to continue, best with what should be done differently.`,
  loops: {
    call: ({ tool }: { tool: string }) => `the same call of ${tool} was made three times in a row`,
    pair: ({ one, other }: { one: string; other: string }) =>
      `the same calls of ${one} and ${other} alternated, three times each`,
    results: 'the last three steps gave the same results',
    unknownTool: 'an unknown tool',
  },

  quotaTooLarge: (of: { wanted: number; limit: number; left: number }) =>
    `None of the ${of.wanted} tool calls was run: a session may make ${of.limit} in all (${of.left} left). The model was told to ask for fewer at once.`,
  quotaTooFew: (of: { wanted: number; limit: number; left: number }) =>
    `None of the ${of.wanted} tool calls was run: ${of.left} of the session’s ${of.limit} are left. The model was told to ask for fewer at once. /clear starts over and resets the quota.`,
  quotaUsed: ({ limit }: { limit: number }) =>
    `The quota of ${limit} tool calls a session is used up. /clear starts over and resets it.`,
  callsNotRun: ({ why }: { why: string }) => `The tool calls were not run: ${why}.`,
  thisSession: 'this session',
  amount: ({ unit, value }: { unit: 'toolCalls' | 'tokens' | 'cost'; value: number }) =>
    ({
      toolCalls: counted(value, 'tool call', 'tool calls'),
      tokens: counted(value, 'token', 'tokens'),
      cost: `${number(value, 4)} USD`,
    })[unit],
  spent: (of: { unit: 'toolCalls' | 'tokens' | 'cost'; spent: number; limit: string }) =>
    `${number(of.spent, of.unit === 'cost' ? 4 : 0)} of ${of.limit}`,
  budgetUsed: ({ limit, owner, spent }: { limit: string; owner: string; spent: string }) =>
    `the budget of ${limit} a day for ${owner} is used up (${spent}). It is reset at 00:00 UTC; an operator can lift it for today with /budget lift`,
  budgetWarning: ({ limit, owner, spent }: { limit: string; owner: string; spent: string }) =>
    `Of the budget of ${limit} a day for ${owner}, ${spent} are used.`,

  filesSaved: ({ paths }: { paths: string }) => `Saved ${paths}.`,
  fileNotSaved: ({ name, why }: { name: string; why: string }) =>
    `“${name}” was not saved: ${why}.`,
  fileNotKept: 'it is no longer kept; send it again',
  fileStopped: 'it was stopped before it was known whether it is there',
  filePathUnknown: 'the sandbox did not say where it is',

  summarised:
    'This conversation has grown long: its oldest part was summarised for the model, which may forget details of it. Nothing was deleted, and the conversation continues. /context shows what the model has; /clear starts over.',
  leftOut:
    'This conversation has grown long: its oldest part was left out, because it could not be summarised. Nothing was deleted, and the conversation continues. /context shows what the model has; /clear starts over.',

  restoredMessage: ({ time }: { time: string }) =>
    `This bot was restored from a backup of ${time}. A message you sent around then may not have been read. If you got no answer, send it again.`,
  restoredTurn: ({ time }: { time: string }) =>
    `This bot was restored from a backup of ${time}. What was in progress then was stopped, since it may already have been done. Write again to continue.`,

  toolFails: (of: { tool: string; failed: number; executions: number; percent: number }) =>
    `CRITICAL: the tool ${of.tool} keeps failing: ${of.failed} of its last ${of.executions} executions failed (${of.percent} %).`,
  toolBlocked: ({ tool }: { tool: string }) =>
    `It is now blocked. Once it is fixed, “countersign trust set ${tool} trusted” lets it run again.`,
  toolBlockable: ({ tool }: { tool: string }) =>
    `“countersign trust set ${tool} blocked” would keep it from being called.`,
  notDelivered: ({ number: row, why }: { number: number; why: string }) =>
    `A message could not be delivered and was given up (outbox ${row}): ${why}`,
}
