/** The directory of a workspace in which files from people are put. */
export const uploadDirectory = 'uploads'

/** What a name stands for that would be hidden: `.env` for `dot.env`, also with a number; undefined: nothing. */
export function hiddenNameOf(name: string): string | undefined {
  return /^dot(?:-\d{1,4})?(\..+)$/is.exec(name)?.[1]
}
