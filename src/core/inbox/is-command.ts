import { findCommand } from './commands/find-command.ts'

/** Whether a message is an order to the product itself. */
export function isCommand(text: string): boolean {
  const [name = ''] = text.slice(1).split(/\s+/, 1)
  return text.startsWith('/') && findCommand(name) !== undefined
}
