import type { Catalogue } from '../en/en.ts'
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

export const de: Catalogue = {
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
