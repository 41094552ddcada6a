/** Directory of a workspace that holds uploaded files. */
export const uploadDirectory = 'uploads'

/** Returns the original hidden name of an upload: `.env` for `dot.env` or `dot-2.env`; undefined if it has none. */
export function hiddenNameOf(name: string): string | undefined {
  return /^dot(?:-\d{1,4})?(\..+)$/is.exec(name)?.[1]
}
