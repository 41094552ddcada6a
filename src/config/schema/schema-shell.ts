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
      .describe('How long a command may run where the call names no time-out.'),
    max_timeout: duration(1, 86_400)
      .prefault('10m')
      .describe('The longest time-out a call may ask for; never below `timeout`.'),
    allowed_paths: z
      .array(toolDirectory())
      .default([])
      .describe(
        'What commands may reach; empty: the workspace. Independent of the file tools: where both differ, commands get a box of their own.',
      ),
    blocked_commands: z
      .array(commandPattern())
      .default(blockedCommands)
      .describe('Commands that are denied, where `[tools.permissions]` is absent.'),
    confirm_patterns: z
      .array(commandPattern())
      .default(confirmPatterns)
      .describe('Commands that need a person, where `[tools.permissions]` is absent.'),
    allow_network: z
      .boolean()
      .default(false)
      .describe(
        'Gives commands the network that `[sandbox] network` names; only docker boxes can have one.',
      ),
    environment: z
      .array(text())
      .default([])
      .describe(
        'Variables that commands see beside PATH, HOME, LANG, TERM and TZ; `*` stands for any text. Credentials never get in.',
      ),
    toolchains: z
      .array(toolchainFolder())
      .default([])
      .describe(
        'Folders of this machine with compilers and runtimes that commands and `diagnostics` find, read-only: each one’s `bin` comes first in PATH, and CARGO_HOME, RUSTUP_HOME, GOROOT, JAVA_HOME, VIRTUAL_ENV and the like are set where a folder is one. Settings in them that hold credentials are hidden.',
      ),
    max_stream_bytes: integer(1_024, 1_024 * mebibyte)
      .default(10 * mebibyte)
      .describe('Bytes kept of each of stdout and stderr, head and tail.'),
    transactional: z
      .boolean()
      .default(false)
      .describe(
        'Keeps the workspace as it was before each call that may write: one that fails is put back, and `/undo` takes back the last.',
      ),
    max_snapshot_bytes: integer(0)
      .default(100 * mebibyte)
      .describe('The largest workspace of which a snapshot is taken.'),
    snapshot_required: z
      .boolean()
      .default(false)
      .describe(
        'Refuses a call that may write where no snapshot can be taken, instead of warning.',
      ),
  })
  .prefault({})
  .describe('The `bash` tool.')

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
      .describe('Where file tools may read and write; empty: the workspace.'),
    deny_read: z.array(pathGlob()).default([]).describe('Canonical paths that no tool may show.'),
    allow_read: z
      .array(pathGlob())
      .default([])
      .describe('Exceptions from `deny_read`; an absolute one also makes its place readable.'),
  })
  .prefault({})
  .describe('The file tools.')
