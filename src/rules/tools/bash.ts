import { z } from 'zod'
import type { ToolSpec } from './tool-spec.ts'

/** BASH-01: runs one shell command in the session's box. */
export const bashTool: ToolSpec = {
  name: 'bash',
  description: `Runs a command with \`bash -c\` in the workspace and returns its output, standard output and standard error interleaved as they came. Standard input is empty, so nothing can be asked interactively. Each call is a new shell: variables and the current directory do not carry over, files do. What it leaves running ends with it. A non-zero exit code is shown after the output. Very long output is kept by head and tail only. Prefer read, edit, grep and find_path for files.`,
  kind: 'execute',
  schema: z.strictObject({
    command: z.string().min(1).describe('The command line, as one would type it in bash.'),
    timeout: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe('Seconds after which the command is ended (default 30; capped by the operator).'),
    background: z
      .boolean()
      .optional()
      .describe(
        'Leaves the command running and answers at once with {job, log}; its output goes to the log file. At most 5; they end with the session’s box.',
      ),
  }),
  idempotent: false,
  cacheable: false,
  mutating: true,
  needsNetwork: false,
  runsIn: 'box',
  runsPrograms: true,
  timeoutMs: 30_000,
  aliases: ['shell_exec'],
  ruledBy: { kind: 'command', argument: 'command' },
  block: { mark: 'bash', argument: 'command' },
  alwaysShown: true,
}
