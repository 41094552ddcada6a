import { createFormat } from '../language.ts'

const { counted, number } = createFormat('en')

/** Rules by their layer. */
const layers = {
  agent: 'a rule of the agent',
  operator: 'a rule of the operator',
  worker: 'a rule of the worker',
  session: 'a rule of the session',
} as const

/** What is stored with a card when it is made or changed, and what its file says. */
export const cards = {
  noNetwork: 'Commands have no network here: this is likely to fail.',
  editedBy: ({ name, before }: { name: string; before: string }) =>
    `${name} changed it; the model asked for: ${before}`,
  /** What a box without confinement does not keep commands from; workers report the English sentence. */
  unconfined: {
    files: "commands can read and change everything you can, Countersign's own keys included",
    network:
      'commands can reach the network; network programs are refused by name only, which is weaker',
    limits: 'no limits on memory and processes here',
  },
  /** What a box of the other drivers does not keep from commands, or does not limit. */
  boxes: {
    ownUser:
      'commands run as a user of their own, but share the files that everybody may read and the network of this machine',
    memory: 'no limit on memory here',
    memoryGroup:
      'no limit on memory here: no control group (version 2) is delegated to Countersign',
    memoryEngine: 'no limit on memory here: the engine has no control group for it',
    processesEngine: 'no limit on processes here: the engine has no control group for it',
    processorsEngine: 'no limit on processors here: the engine has no control group for it',
    filter:
      'no filter of system calls works here: setuid bits are taken away only when a call has ended',
    namespaces:
      'commands can make user namespaces of their own inside their box: bwrap --disable-userns does not work here',
  },
  /** The same with the name of an image or a network. */
  namedBoxes: {
    image: ({ name }: { name: string }) =>
      `the image ${name} is not of this version's Dockerfile: commands can trace what runs them, and answer calls in its place`,
    network: ({ name }: { name: string }) =>
      `commands reach all that the engine's network ${name} reaches`,
  },
  anyArguments: '(any arguments)',
  cancelReasons: {
    stopped: 'stopped',
    cleared: 'cleared',
    failed: 'the turn failed',
    expired: 'an approval expired',
    edited: 'asked again, as changed',
    changed: 'what was approved has changed',
    approvers: 'the rules about who may approve have changed',
    objection: 'a review objects to it',
    restored: 'restored from a backup',
  },

  runsFile: ({ path, bytes, sha256 }: { path: string; bytes: number; sha256: string }) =>
    `It runs ${path}: ${counted(bytes, 'byte', 'bytes')}, SHA-256 ${sha256}; not run if it changes`,
  runsUnreadFile: ({ path }: { path: string }) =>
    `It runs ${path}: it cannot be read, so nobody can see whether it changes`,
  mayChange: ({ path }: { path: string }) => `runs ${path}, which cannot be read: it may change`,
  noDiff: ({ why }: { why: string }) => `No diff could be made: ${why}`,
  filesUnseen: ({ why }: { why: string }) =>
    `It runs files of the workspace, which may change until it runs; they could not be checked: ${why}`,
  workerSilent: 'the worker did not answer in time',

  fileParts: {
    effects: 'what it does',
    reasons: 'why',
    always: 'always would allow',
    warning: 'warning',
  },
  fileCall: ({ end, call }: { end: string; call: string }) => `what, to ${end}:\n${call}`,
  fileEnd: 'the end of the file',
  fileEndOf: ({ number: approval }: { number: number }) => `the end of approval ${approval}`,
  fileHeading: ({ number: approval }: { number: number }) => `Approval ${approval}`,
  risk: ({ risk }: { risk: 'low' | 'medium' | 'high' }) => `risk ${risk}`,
  lines: ({ count }: { count: number }) => counted(count, 'line', 'lines'),
  moreEffects: ({ count }: { count: number }) => `and ${count} more of its effects are in the file`,
  moreInFile: ({ count }: { count: number }) => `and ${count} more in the file`,
  /** At most 64 characters. */
  excerptGap: ({ lines, characters }: { lines: number; characters: number }) =>
    `⋯ ${lines > 1 ? `${number(lines)} lines, ` : ''}${counted(characters, 'character', 'characters')} more in the file ⋯`,
  tooLarge: ({ megabytes }: { megabytes: number }) =>
    `What this call would do takes ${number(megabytes)} MB, more than can be shown. It can only be denied.`,

  /** Why a rule, or the lack of one, asks. `about`: the tool and the part of the call. */
  asks: {
    rule: ({
      about,
      layer,
    }: {
      about: string
      layer: 'agent' | 'operator' | 'worker' | 'session'
    }) => `${about}: ${layers[layer]} says ask`,
    none: ({ about }: { about: string }) => `${about}: no rule matches`,
    unconfined: ({ about }: { about: string }) =>
      `${about}: commands are not confined here, and no rule names this one`,
    undecided: ({ about }: { about: string }) =>
      `${about}: the arguments do not tell whether this rule applies`,
    person: ({ about }: { about: string }) =>
      `${about} requires a person for each call, so no rule can allow it`,
  },
  outcomes: {
    done: 'done',
    failed: ({ why }: { why: string }) => `failed: ${why}`,
    exit: ({ code }: { code: number }) => `exit ${code}`,
    failedExit: ({ code }: { code: number }) => `failed: exit ${code}`,
    denied: 'denied',
    cancelled: 'cancelled',
    interrupted: 'interrupted',
    open: 'not ended',
  },
  /** By the category of a tool's error. */
  errors: {
    tool_not_found: 'there is no such tool',
    invalid_parameters: 'invalid arguments',
    type_mismatch: 'an argument of the wrong type',
    policy_blocked: 'not allowed here',
    confirmation_required: 'nobody could be asked',
    permanent_failure: 'it cannot work this way',
    cancelled: 'it was stopped',
    rate_limited: 'too many requests',
    server_error: 'the other side failed',
    network_error: 'the network failed',
    timeout: 'it took too long',
  },
  /** What exit codes of shells mean. */
  exits: {
    124: 'timed out',
    126: 'not executable',
    127: 'command not found',
    130: 'interrupted',
    134: 'aborted',
    137: 'killed',
    139: 'crashed',
    143: 'terminated',
  },
  /** What the output of a failed command says. */
  failures: {
    no_file: 'no such file',
    no_permission: 'permission denied',
    disk_full: 'the disk is full',
    read_only: 'the file system is read-only',
    no_host: 'host not found',
    refused: 'connection refused',
    no_repository: 'not a git repository',
  },

  /** What a call of a tool does, after “wants to”. */
  does: {
    execute: 'run a command',
    read: 'read a file',
    edit: 'edit a file',
    search: 'search files',
    fetch: 'fetch a web page',
    move: 'move files',
    create_folder: 'create a folder',
    delete: 'delete files',
    write: 'write a file',
    store: 'store a file',
    undo: 'undo changes',
    copy: 'copy files',
  },
  useTool: ({ tool }: { tool: string }) => `use the tool ${tool}`,
}
