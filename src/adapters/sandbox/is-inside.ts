/** Those that lie below none of the others. */
export function outermost(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !paths.some((other) => other !== path && isInside(path, other)))
}

/** Whether `path` is `dir` or lies below it, compared by segments; both absolute and normal. */
export function isInside(path: string, dir: string): boolean {
  return dir === '/' || path === dir || path.startsWith(`${dir}/`)
}
