import type { TranscriptMessage } from '../../domain/message.ts'

/** A stored message as a model reads it, followed by the results of its calls. */
export interface TranscriptEntry {
  readonly id: string
  readonly turnId: string
  readonly position: number
  readonly isLeftOut: boolean
  readonly messages: readonly TranscriptMessage[]
}
