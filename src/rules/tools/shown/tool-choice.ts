import { assertNever } from '../../../util/assert-never.ts'

/** SCH-02: whether a model is shown a tool in a turn, and why. */
export interface ToolChoice {
  readonly tool: string
  readonly isShown: boolean
  readonly why: ChoiceReason
  /** Where there was one to compare with. */
  readonly score?: ToolScore
}

export type ChoiceReason =
  /** There are not too many, so all are shown. */
  | 'few'
  | 'always on'
  | 'named'
  | 'short description'
  /** The session has called it already. */
  | 'used'
  | 'similar'
  /** Its score is below the threshold. */
  | 'dissimilar'
  /** Others have a higher score. */
  | 'outranked'
  /** There is nothing to compare by; `tool_search` finds it. */
  | 'not compared'

/** How near a tool is to a message; each 0 to 1. */
export interface ToolScore {
  /** Of the embeddings. */
  readonly similarity: number
  /** Of the words (BM25). */
  readonly words: number
  /** For preferences that are satisfied (SCH-03). */
  readonly boost: number
  readonly total: number
}

/** In words for people. */
export function describeReason(why: ChoiceReason): string {
  switch (why) {
    case 'few':
      return 'there are few enough to show all'
    case 'always on':
      return 'always shown'
    case 'named':
      return 'the message names it'
    case 'short description':
      return 'its description is too short to compare'
    case 'used':
      return 'this session has used it'
    case 'similar':
      return 'near to the message'
    case 'dissimilar':
      return 'too far from the message'
    case 'outranked':
      return 'others are nearer to the message'
    case 'not compared':
      return 'there are no embeddings to compare by; tool_search finds it'
    default:
      return assertNever(why)
  }
}
