import { readTexts } from '../stored.ts'
/** The canonical paths that an executor reported for a call, if it did. */
export function readCanonical(stored: string | null | undefined): readonly string[] | undefined {
  return stored == null ? undefined : readTexts(stored)
}
