import { sha256 } from '../../util/sha256.ts'

/** What ties an audit row to the one before it in its chain. */
export function linkHash(previous: string, chain: string, seq: number, body: string): string {
  return sha256(`${previous}\n${chain}\n${seq}\n${body}`)
}
