import { z } from 'zod'
import {
  commandPattern,
  duration,
  integer,
  keyKinds,
  pathGlob,
  text,
  toolDirectory,
} from '../key-types.ts'

const mebibyte = 1_048_576

/** GATE-03: denied regardless of other rules. Each pattern also matches the program without arguments. */
const blockedCommands = [
  'rm -*r* / *',
  'rm -*r* /\\*',
  'rm / *',
  '*--no-preserve-root*',
  'sudo *',
  'doas *',
  'mkfs*',
  'dd *of=/dev/*',
  '*>/dev/sd*',
  '*> /dev/sd*',
  'shutdown *',
  'reboot *',
  'halt *',
  'poweroff *',
  'systemctl reboot *',
  'systemctl halt *',
  'systemctl poweroff *',
]

/** GATE-03: need approval even if another rule allows them. */
const confirmPatterns = [
  'rm *',
  'git push -f*',
  'git push * -f*',
  'git push *--force*',
  'git push * +*',
  '*drop table*',
  '*drop database*',
  '*truncate *',
  '*$(*',
  '*`*',
  '*<(*',
  '*>(*',
  '*<<<*',
  'eval *',
]

export const shellSection = z
  .strictObject({
    timeout: duration(1, 86_400)
      .prefault(30)
      .describe('Time limit of a command whose call names none.'),
    max_timeout: duration(1, 86_400)
      .prefault('10m')
      .describe('Maximum time limit that a call may request; at least `timeout`.'),
    allowed_paths: z
      .array(toolDirectory())
      .default([])
      .describe(
        'Directories that commands may use; empty: the workspace. If they differ from those of the file tools, commands get a separate box.',
      ),
    blocked_commands: z
      .array(commandPattern())
      .default(blockedCommands)
      .describe('Commands to deny, if `[tools.permissions]` is absent.'),
    confirm_patterns: z
      .array(commandPattern())
      .default(confirmPatterns)
      .describe('Commands to ask about, if `[tools.permissions]` is absent.'),
    allow_network: z
      .boolean()
      .default(false)
      .describe('Gives commands the network named by `[sandbox] network`; docker boxes only.'),
    environment: z
      .array(text())
      .default([])
      .describe(
        'Environment variables for commands besides PATH, HOME, LANG, TERM and TZ; `*` stands for any text. Credentials are never passed.',
      ),
    toolchains: z
      .array(toolchainFolder())
      .default([])
      .describe(
        'Folders of this machine with compilers and runtimes for commands and `diagnostics`, read-only. Each `bin` comes first in PATH, and CARGO_HOME, RUSTUP_HOME, GOROOT, JAVA_HOME, VIRTUAL_ENV and the like are set accordingly. Files in them that hold credentials are hidden.',
      ),
    max_stream_bytes: integer(1_024, 1_024 * mebibyte)
      .default(10 * mebibyte)
      .describe('Bytes to keep of stdout and of stderr, as head and tail.'),
    transactional: z
      .boolean()
      .default(false)
      .describe(
        'Takes a snapshot before each call that may write: a failed call is rolled back, and `/undo` reverts the last one.',
      ),
    max_snapshot_bytes: integer(0)
      .default(100 * mebibyte)
      .describe('Maximum size of a workspace for snapshots.'),
    snapshot_required: z
      .boolean()
      .default(false)
      .describe('Refuses calls that may write if no snapshot can be taken, instead of warning.'),
  })
  .prefault({})
  .describe('Tool `bash`.')

/** BASH-12: never a home directory, a system directory or one that holds credentials. */
function toolchainFolder() {
  return z
    .string()
    .min(1)
    .refine((path) => !tooWide.test(path.replace(/\/+$/, '')))
    .register(keyKinds, {
      kind: 'host_path',
      expected: 'the folder of one toolchain, such as "~/.cargo": no home and none of the system',
    })
}

const tooWide =
  /^(?:|~[^/]*|\/[^/]*|\/(?:home|Users)\/[^/]*|\/(?:etc|proc|sys|dev|run|boot)(?:\/.*)?|\/var\/(?:lib|run|log))$|\/\.local(?:\/share)?$|\/\.(?:ssh|aws|gnupg|config|kube|docker|azure|password-store|countersign|netrc)(?:\/|$)|(?:^|\/)\.\.(?:\/|$)/

export const fileSection = z
  .strictObject({
    allowed_paths: z
      .array(toolDirectory())
      .default([])
      .describe('Directories that file tools may use; empty: the workspace.'),
    deny_read: z
      .array(pathGlob())
      .default([])
      .describe('Globs of canonical paths that no tool may read.'),
    allow_read: z
      .array(pathGlob())
      .default([])
      .describe('Exceptions to `deny_read`; an absolute glob also makes its place readable.'),
  })
  .prefault({})
  .describe('File tools.')
