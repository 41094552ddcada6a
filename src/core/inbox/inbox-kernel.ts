import type { Kernel } from '../kernel/kernel.ts'
import type { RoleLists } from './role-lists.ts'

/** What acting on messages of people needs. */
export interface InboxKernel extends Kernel {
  /** Who may talk, by platform; elsewhere whoever is handed over is known already. */
  readonly people: Readonly<Record<string, RoleLists>>
}
