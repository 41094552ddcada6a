import { createFormat } from '../language.ts'

const { counted, number } = createFormat('en')

/** Commands: their descriptions in `/help` and menus, and their answers. */
export const commands = {
  /** By name, after `/help`. At most 256 characters. */
  summaries: {
    start: 'what this is, and what it can do',
    help: 'this list',
    approve: 'approve a waiting call',
    always: 'approve it and similar calls from now on, or until then',
    deny: 'deny a waiting call',
    edit: 'change a waiting call and approve it',
    approvals: 'show again what is waiting for an answer',
    grants: 'what is allowed without asking, and until when',
    revoke: 'revoke a grant',
    away: 'others are asked instead of you, for approvers',
    back: 'end /away',
    stop: 'stop the current turn',
    retry: 'continue where the last turn failed or was stopped',
    undo: 'undo what the last call changed',
    clear: 'start over and reset the quota',
    link: 'a code that links another account of yours',
    budget: 'what is left for today; operators lift it',
    status: 'model, worker, quota, tokens, what is waiting',
    context: 'what the model has of this conversation',
    permissions: 'what runs without asking',
    audit: 'the latest calls in the audit',
    model: 'which model answers; choose another',
    worker: 'where tools run; operators choose another',
    mcp: 'tools of MCP servers; operators approve them',
    output: 'the output of a tool call',
    upload: 'put a file of yours into the workspace',
    shell: 'run a command in the box yourself, without approval',
  },
  /** For what a person writes after a command. */
  placeholders: { reason: 'reason', text: 'text', name: 'name', path: 'path', command: 'command' },
  intro: 'Write what you want done. Risky calls wait for your answer.',
  hello: ({ name }: { name: string }) => `Hello, ${name}.`,
  unknown: ({ name }: { name: string }) => `There is no command /${name}. /help lists them.`,
  usage: ({ command }: { command: string }) => `Usage: ${command}`,
  notInPublic:
    'That is not shown where others can read it. Write to me in a direct message once, then ask here again: the answer goes there.',
  sentInPrivate: 'Sent to you in a private chat. If it does not arrive, write to me there first.',
  perhapsThread: 'If you mean a thread, mention me there and write it again.',
  turnRuns: 'A turn is in progress; wait for it, or /stop it first.',

  edit: {
    usage:
      'Send the new version, as in /edit 2 git status: the command for bash, a URL for web tools, a JSON object of the arguments to change for others.',
  },
  stop: {
    nothing: 'Nothing is running. Background jobs, if there were any, are ended.',
    notYours: 'Only the person whose turn it is, or an approver, may stop it.',
    done: ({ name }: { name: string }) => `Stopped by ${name}.`,
    discarded: ({ what }: { what: string }) => `Discarded unread: ${what}.`,
    moreFiles: ({ count }: { count: number }) => counted(count, 'more file', 'more files'),
    messages: ({ count }: { count: number }) => counted(count, 'message', 'messages'),
  },
  retry: {
    nothing: 'There is nothing to try again.',
    running: 'A turn is in progress; /stop ends it.',
    notYours: 'Only the person whose turn it was may try it again.',
  },
  undo: {
    off: 'No state is kept that /undo could restore; the operator can turn it on: transactional in [tools.shell].',
    nothing: 'Nothing has been changed here yet.',
  },
  clear: {
    done: 'Cleared: a fresh transcript, and the quota is reset. What “Always” allowed in this session is gone; what an approver allowed for everybody stays. Files stay.',
    notYours: 'A turn is in progress; only its person, or an approver, may clear it.',
    perhapsThere: ({ what }: { what: string }) => `On its way, and perhaps there: ${what}.`,
  },
  away: {
    usage:
      'Say how long, as in /away 30m, /away 2h or /away 3d; without a time, it is until /back.',
    approversOnly: 'Only people who answer the approvals of others can be away.',
    untilBack: ({ next }: { next: string }) =>
      `You are away until /back: approvals are not sent to you, and ${next}.`,
    until: ({ time, next }: { time: string; next: string }) =>
      `You are away until ${time}: approvals are not sent to you, and ${next}.`,
    nobodyNext: 'nobody is named to be asked instead ([approval] escalate_to)',
    next: 'the next person is asked instead',
    nextAlso: ({ count }: { count: number }) =>
      `the next person is asked instead, also about ${count} that you were shown`,
    notAway: 'You were not away.',
    back: 'Welcome back: approvals are sent to you again.',
  },
  audit: {
    none: ({ who }: { who: string }) => `No calls of ${who} yet.`,
    head: ({ who }: { who: string }) => `The latest calls of ${who}, newest first; times are UTC.`,
    everybody: 'everybody',
    file: 'the calls',
    by: ({ name }: { name: string }) => `by ${name}`,
    notEnded: 'not ended',
  },
  budget: {
    none: 'No budget is set.',
    operatorsOnly: 'Only an operator may lift a budget.',
    today: ({ owner, lines }: { owner: string; lines: string }) =>
      `Budget today, ${owner}: ${lines}`,
    liftedBy: ({ name }: { name: string }) => `(lifted for today by ${name})`,
    lifted: ({ owners }: { owners: string }) =>
      `Lifted until 00:00 UTC for ${owners}. /retry continues a turn that ended.`,
  },
  model: {
    agentAway: 'The agent is away; its models can be shown when it is back.',
    none: 'There is no such model.',
    notYours: 'You may not choose a model.',
    chosen: ({ model }: { model: string }) =>
      `From its next step on ${model} answers here, until /clear.`,
    byCommand: ({ model }: { model: string }) => `${model}, chosen by /model`,
    present: ({ model }: { model: string }) => `Model: ${model}`,
    only: ({ model }: { model: string }) => `Model: ${model}. There is no other one.`,
    others: ({ models }: { models: string }) =>
      `Others: ${models}\n/model and a name chooses one for this session.`,
  },
  worker: {
    operatorsOnly:
      'Only an operator chooses the worker: each has its own files and rules. /worker lists them.',
    turnRuns:
      'A turn is in progress here: /stop it, or let it end, before choosing another worker.',
    none: 'There is no such worker.',
    already: ({ worker }: { worker: string }) => `This conversation already uses worker ${worker}.`,
    chosen: ({ worker }: { worker: string }) =>
      `Tools run at worker ${worker} from now on. Transcript, files, rules and grants are those of that worker; the others stay where they are.`,
    present: ({ worker, state }: { worker: string; state: string }) =>
      `Worker: ${worker} (${state})`,
    only: ({ present }: { present: string }) => `${present}. There is no other one.`,
    others: ({ workers }: { workers: string }) =>
      `Others: ${workers}\n/worker and a name moves this conversation there, for operators.`,
    away: 'away',
    sandbox: ({ driver }: { driver: string }) => `sandbox ${driver}`,
    unknownDriver: 'unknown',
  },
  output: {
    none: 'There is no such tool call in this session.',
    file: ({ number: call }: { number: number }) => `the output of call ${call}`,
    head: ({ number: call, tool, end }: { number: number; tool: string; end: string }) =>
      `Call ${call}, ${tool}: ${end}`,
    fromCache: 'from the result cache',
    showAll: ({ statistics, command }: { statistics: string; command: string }) =>
      `${statistics}; ${command} shows them`,
    tooLarge: '[it is too large for a file]',
  },
  permissions: {
    intro:
      'Every tool call is checked against rules: it runs, it asks, or it is denied. The last rule that matches counts; what no rule matches asks.',
    operator: ({ rules }: { rules: string }) => `Operator: ${rules}; what they deny is final.`,
    worker: ({ worker, rules }: { worker: string; rules: string }) => `Worker ${worker}: ${rules}.`,
    grants: ({ count }: { count: number }) =>
      `Granted to you in this session: ${count}; /grants lists them.`,
    approversOnly: 'Approvers and operators see the rules themselves.',
    elsewhere:
      'a file that only its agents have; countersign permissions show prints it on their machine',
    damaged: 'rules that are damaged',
    rules: (of: { count: number; allow: number; ask: number; deny: number }) =>
      `${counted(of.count, 'rule', 'rules')} (${of.allow} allow, ${of.ask} ask, ${of.deny} deny)`,
    gateOff: 'Warning: the gate is off: these rules allow everything, and nothing asks.',
    lineInvalid: ({ line }: { line: number }) =>
      `Warning: line ${line} is invalid, and until it is fixed every call asks.`,
    exampleFails: ({ line }: { line: number }) =>
      `Warning: the example in line ${line} does not hold, and until it does everything that is not denied asks.`,
    more: ({ count }: { count: number }) =>
      `… and ${number(count)} more characters: countersign permissions show prints them all`,
  },
}
