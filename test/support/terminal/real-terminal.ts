import { execFile } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const lookEveryMs = 100
const patienceMs = 60_000

export interface TerminalOptions {
  readonly command: readonly string[]
  readonly cwd: string
  /** All that the program gets, beside what a terminal gives. */
  readonly environment: Readonly<Record<string, string>>
  readonly columns: number
  readonly rows: number
}

let opened = 0

/** A program in a real pseudo-terminal, and the screen as a person sees it, by tmux. Disposing kills both. */
export class RealTerminal implements AsyncDisposable {
  /** A server of its own, so that no other session and no configuration of a person's plays a part. */
  readonly #server: readonly string[]

  private constructor(name: string) {
    this.#server = ['-L', name, '-f', '/dev/null']
  }

  static async open(options: TerminalOptions): Promise<RealTerminal> {
    opened += 1
    const terminal = new RealTerminal(`countersign-test-${process.pid}-${opened}`)
    const { columns, rows, cwd, command } = options
    const environment = Object.entries(options.environment).map(([key, value]) => `${key}=${value}`)
    const size = ['-x', String(columns), '-y', String(rows)]
    const program = ['env', '-i', 'TERM=tmux-256color', 'LANG=C.UTF-8', ...environment, ...command]
    const keeping = ['set-option', '-g', 'remain-on-exit', 'on', ';']
    const session = ['new-session', '-d', ...size, '-c', cwd, ...program]
    await terminal.#tmux(['-u', 'start-server', ';', ...keeping, ...session])
    return terminal
  }

  /** Text as it is typed, without an Enter. */
  async type(text: string): Promise<void> {
    await this.#tmux(['send-keys', '-l', '--', text])
  }

  /** Keys by tmux's names: `Enter`, `C-c`, `Up`. */
  async press(...keys: readonly string[]): Promise<void> {
    await this.#tmux(['send-keys', ...keys])
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#tmux(['resize-window', '-x', String(columns), '-y', String(rows)])
  }

  /** The rows that a person sees, without blanks at their ends and empty rows below. */
  async screen(): Promise<string> {
    return (await this.#tmux(['capture-pane', '-p'])).trimEnd()
  }

  /** The same with what has gone off the screen above it, and the sequences that give it looks. */
  async styled(): Promise<string> {
    return (await this.#tmux(['capture-pane', '-p', '-e', '-S', '-'])).trimEnd()
  }

  /** Waits until the screen shows so; fails after a minute with what it shows. */
  async until(words: RegExp): Promise<string> {
    const deadline = performance.now() + patienceMs
    for (;;) {
      const screen = await this.screen()
      if (words.test(screen)) return screen
      if (performance.now() > deadline) throw new Error(`never ${words}; it shows\n${screen}`)
      await delay(lookEveryMs)
    }
  }

  /** The exit code, once the program has ended. */
  async ended(): Promise<number> {
    const deadline = performance.now() + patienceMs
    for (;;) {
      const format = '#{pane_dead_status} #{pane_dead_signal}'
      const [code = '', signal = ''] = (await this.#tmux(['display', '-p', format])).split(' ')
      // A moment after its output has ended neither is known yet.
      if (code !== '') return Number(code)
      if (signal.trim() !== '') throw new Error(`ended by signal ${signal.trim()}`)
      if (performance.now() > deadline) throw new Error(`it goes on:\n${await this.screen()}`)
      await delay(lookEveryMs)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tmux(['kill-server']).catch(() => undefined)
  }

  async #tmux(command: readonly string[]): Promise<string> {
    return (await run('tmux', [...this.#server, ...command])).stdout
  }
}
