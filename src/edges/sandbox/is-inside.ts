/** Whether `path` is `dir` or lies below it, compared by segments; both absolute and normal. */
export function isInside(path: string, dir: string): boolean {
  return dir === '/' || path === dir || path.startsWith(`${dir}/`)
}
