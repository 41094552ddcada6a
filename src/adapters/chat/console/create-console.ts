import type { ConsoleChat, ConsoleOptions } from './console-chat.ts'
import { PlainConsole } from './plain-console.ts'
import { TerminalConsole } from './terminal-console.ts'

/** TERM-01: at a terminal with keys, colours and streaming, or line by line for scripts. */
export function createConsole(options: ConsoleOptions): ConsoleChat {
  return options.isTty ? new TerminalConsole(options) : new PlainConsole(options)
}
