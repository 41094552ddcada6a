import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const lookEveryMs = 100
const patienceMs = 60_000
/** tmux (3.3a) often never reaps what ends at once after its last output: so this says how it ended, and stays. */
const tellCode = 'trap : INT; "$@"; echo $? >"$0"; trap "" INT; exec sleep infinity'

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
  readonly #dir = mkdtempSync(join(tmpdir(), 'countersign-terminal-'))
  readonly #code = join(this.#dir, 'code')

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
    const teller = ['sh', '-c', tellCode, terminal.#code]
    const session = ['new-session', '-d', ...size, '-c', cwd, ...teller, ...program]
    await terminal.#tmux(['-u', 'start-server', ';', ...session])
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

  /** The exit code, once the program has ended; 128 and the signal's number where one ended it. */
  async ended(): Promise<number> {
    const deadline = performance.now() + patienceMs
    for (;;) {
      const code = readIfThere(this.#code)
      if (code.endsWith('\n')) return Number(code)
      if (performance.now() > deadline) throw new Error(`it goes on:\n${await this.screen()}`)
      await delay(lookEveryMs)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tmux(['kill-server']).catch(() => undefined)
    rmSync(this.#dir, { recursive: true, force: true })
  }

  async #tmux(command: readonly string[]): Promise<string> {
    return (await run('tmux', [...this.#server, ...command])).stdout
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
