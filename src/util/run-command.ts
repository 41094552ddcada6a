export interface CommandOptions {
  /** All that the program sees of an environment. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly uid?: number
  readonly gid?: number
  /** In milliseconds; then it is told to end, 5 s later killed, and no longer waited for. */
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
  const running = execa(file, args, { ...options, extendEnv: false, cleanup: false })
  const giveUp = () => {
    running.stdout?.destroy()
    running.stderr?.destroy()
  }
  // What a program leaves running may hold its pipes for ever.
  const timer =
    options.timeout === undefined ? undefined : setTimeout(giveUp, options.timeout + 5_500)
  try {
    const { stdout } = await running
    return typeof stdout === 'string' ? stdout : ''
  } finally {
    clearTimeout(timer)
  }
}
