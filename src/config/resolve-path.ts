import path from 'node:path'

/** The absolute form of a path; `~` and `~/…` start at the home directory, relative ones at `base`. */
export function resolvePath(text: string, base: string, home: string | undefined): string {
  return path.resolve(base, expandHome(text, home))
}

/** The same path with a leading `~` replaced, where a home directory is known. */
export function expandHome(text: string, home: string | undefined): string {
  return home === undefined ? text : text.replace(/^~(?=\/|$)/u, () => home)
}
