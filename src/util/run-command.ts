export interface CommandOptions {
  /** The program's whole environment. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly uid?: number
  readonly gid?: number
  /** In milliseconds; then the program is asked to end, killed after 5 s, and no longer waited for. */
  readonly timeout?: number
  /** Limit of output in characters; default 100 million. */
  readonly maxBuffer?: number
  /** `inherit`: shares our terminal; output is not captured. */
  readonly stdio?: 'inherit'
}

/**
 * Runs a program without a shell and returns its standard output without the last line feed. Rejects with an `ExecaError`, which
 * holds `stderr`, when it cannot start, takes too long, or exits with a code other than 0.
 */
export async function runCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<string> {
  // Imported only when needed: loading takes some 50 ms, and a run 1 ms more than with Node's own module.
  const { execa } = await import('execa')
  // `cleanup` would install signal handlers, but ending our processes is left to their drain.
  const running = execa(file, args, { ...options, extendEnv: false, cleanup: false })
  const giveUp = () => {
    running.stdout?.destroy()
    running.stderr?.destroy()
  }
  // A program's leftover children may hold its pipes open for ever.
  const timer =
    options.timeout === undefined ? undefined : setTimeout(giveUp, options.timeout + 5_500)
  try {
    const { stdout } = await running
    return typeof stdout === 'string' ? stdout : ''
  } finally {
    clearTimeout(timer)
  }
}
