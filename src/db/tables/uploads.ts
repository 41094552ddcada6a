import type { ColumnType, Generated } from 'kysely'
import type { UploadState } from '../../domain/upload.ts'
import type { Made, Moment } from './moment.ts'

/** A file that somebody sent. */
export interface UploadTable {
  id: string
  /** What it came with. */
  inbound_event_id: string
  ordinal: number
  name: string
  media_type: string | null
  /** By which its platform gives it out. */
  reference: string
  album: string | null
  /** As its platform says. */
  announced_bytes: number | null
  state: Generated<UploadState>
  attachment_id: string | null
  /** For whom it is to be put into the workspace. */
  message_id: string | null
  /** The call that puts it there. */
  call_id: string | null
  /** Why it was refused, in words for a person. */
  failure: string | null
  /** Times that fetching it failed. */
  attempts: Generated<number>
  not_before: ColumnType<Date, Date | undefined, Date>
  /** Until when somebody who lives may be fetching it. */
  claimed_until: Moment
  created_at: Made
}
