import { approvals } from './approvals.ts'
import { cards } from './cards.ts'
import { chat } from './chat.ts'
import { commands } from './commands.ts'
import { display } from './display.ts'
import { grants } from './grants.ts'
import { inbox } from './inbox.ts'
import { mcp } from './mcp.ts'
import { people } from './people.ts'
import { status } from './status.ts'
import { terminal } from './terminal.ts'
import { turns } from './turns.ts'

export const en = {
  approvals,
  cards,
  chat,
  commands,
  display,
  grants,
  inbox,
  mcp,
  people,
  status,
  terminal,
  turns,
}

/** CARD-06: all that the product says to people, by area; English is the measure of what there is. */
export type Catalogue = typeof en
