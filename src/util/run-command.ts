export interface CommandOptions {
  /** All that the program sees of an environment. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly uid?: number
  readonly gid?: number
  /** In milliseconds; then it is told to end, and 5 s later killed. */
  readonly timeout?: number
  /** What it may print, in characters: 100 million. */
  readonly maxBuffer?: number
  /** `inherit`: it shares our terminal, and its output is not read. */
  readonly stdio?: 'inherit'
}

/**
 * Runs a program to its end, without a shell, and answers its standard output less the last line feed. Rejects with an
 * `ExecaError`, which holds its `stderr`, when it cannot be started, takes too long, or ends with another code than 0.
 */
export async function runCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<string> {
  // Imported only when a program is run: loading it takes some 50 ms, and a run 1 ms more than with Node's own module.
  const { execa } = await import('execa')
  // No handler of ours on signals, which `cleanup` would bring: how a process of ours ends is its drain's business.
  const { stdout } = await execa(file, args, { ...options, extendEnv: false, cleanup: false })
  return typeof stdout === 'string' ? stdout : ''
}
