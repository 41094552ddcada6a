import { createFormat } from '../language.ts'

const { counted, number, plural } = createFormat('en')

/** `/status` and `/context`: a line for each fact. */
export const status = {
  agentAway: 'Agent: away; your messages are kept until it is back',
  toolCalls: ({ used, limit }: { used: number; limit: number | undefined }) =>
    `Tool calls: ${used} of ${limit ?? 'unlimited'}`,
  messages: ({ count }: { count: number }) => `Messages: ${count}`,
  rulesAllowAll: ({ path }: { path: string }) =>
    `the gate is off: ${path}: they allow everything; nothing asks, commands included.`,
  ruleProblem: (of: { path: string; line: number; problem: string }) =>
    `${of.path}, line ${of.line}: ${of.problem}. Until it is fixed, every call asks.`,
  exampleProblem: (of: { path: string; line: number; problem: string }) =>
    `${of.path}, line ${of.line}, an example: ${of.problem}. Until it holds, all that is not denied asks.`,
  warning: ({ warning }: { warning: string }) => `Warning: ${warning}`,
  filters: ({ full, partial, fallback }: { full: number; partial: number; fallback: number }) =>
    `Output filters (full/partial/fallback): ${full}/${partial}/${fallback}`,
  cached: ({ count }: { count: number }) => `Answered from the result cache: ${count}`,
  blockedTools: ({ tools }: { tools: string }) => `Tools blocked: ${tools}`,
  quarantinedTools: ({ tools }: { tools: string }) => `Tools quarantined: ${tools}`,
  turn: ({ state, waits }: { state: string; waits: string }) => `Turn: ${state}; ${waits}`,
  turnStates: {
    none: 'none',
    queued: 'queued',
    thinking: 'thinking',
    acting: 'acting',
    done: 'done',
    stopped: 'stopped',
    failed: 'failed',
  },
  nothingWaits: 'nothing is waiting for an answer',
  waits: ({ numbers }: { numbers: string }) => `waiting for an answer: ${numbers}`,
  tokens: ({ input, cached, output }: { input: number; cached: number; output: number }) =>
    `Tokens: ${input} in (${cached} cached), ${output} out`,
  rulesDiffer: ({ worker, sides }: { worker: string; sides: string }) =>
    `agents have different rules or configuration for worker "${worker}", so that one allows what another asks or denies: ${sides}`,
  shareRules:
    'let all agents share one data directory, and with it one file of rules, or keep the rules in the database by [tools] permissions_store; and give all one countersign.toml',
  agentRules: ({ id, host, path }: { id: string; host: string; path: string }) =>
    `agent ${id} on ${host} by ${path}`,
  fingerprint: ({ agents, digits }: { agents: string; digits: string }) =>
    `${agents} (fingerprint ${digits}…)`,
  differingRules: ({ finding, fix }: { finding: string; fix: string }) =>
    `${finding}. To fix it, ${fix}.`,

  notAsked: 'Prompt: the model has not been asked yet',
  prompt: ({ size, model, room }: { size: string; model: string; room: string }) =>
    `Prompt: ${size} at the last step, to ${model}; ${room}`,
  bytes: ({ count }: { count: number }) => counted(count, 'byte', 'bytes'),
  tokenCount: ({ count }: { count: number }) => counted(count, 'token', 'tokens'),
  roomUnknown: 'the model’s context size is not known',
  room: ({ from, budget }: { from: number; budget: number }) =>
    `room is made above ${number(from)} of ${number(budget)} tokens`,
  inFull: ({ turns, messages }: { turns: number; messages: number }) =>
    `In full: ${counted(turns, 'turn', 'turns')}, ${counted(messages, 'message', 'messages')}`,
  uploadedFiles: ({ count }: { count: number }) =>
    `${counted(count, 'uploaded file', 'uploaded files')} in this session`,
  leftOut: ({ turns, messages }: { turns: number; messages: number }) =>
    `Left out: the ${counted(turns, 'oldest turn', 'oldest turns')} (${counted(messages, 'message', 'messages')}); no summary could be made`,
  summary: (of: { turns: number; messages: number; characters: number }) =>
    `Summary: of the ${counted(of.turns, 'oldest turn', 'oldest turns')} (${counted(of.messages, 'message', 'messages')}), ${counted(of.characters, 'character', 'characters')}`,
  lastWithoutSummary: 'the last of them could not be summarised',
  shortened: ({ parts }: { parts: string }) =>
    `Shortened to make room: ${parts}; the model can read them back`,
  shortenedParts: ({
    kind,
    count,
  }: {
    kind: 'results' | 'arguments' | 'messages' | 'steps'
    count: number
  }) =>
    `${number(count)} ${
      {
        results: plural(count, 'tool result', 'tool results'),
        arguments: plural(count, 'list of arguments', 'lists of arguments'),
        messages: plural(count, 'long message', 'long messages'),
        steps: plural(count, 'step', 'steps'),
      }[kind]
    }`,
  noTools: 'Tools: none',
  tools: ({ count }: { count: number }) => `Tools: ${count} chosen for the last turn`,
}
