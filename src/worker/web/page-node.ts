/** Part of the parser's nodes that is used. */
export interface PageNode {
  /** `tag`, `script`, `style`, `text`, `comment`, `cdata`, `directive` or `root`. */
  readonly type: string
  readonly name?: string
  readonly data?: string
  readonly attribs?: Readonly<Record<string, string>>
  readonly children?: readonly PageNode[]
}

/** Visits nodes in document order without recursion, since the nesting depth is chosen by the page's author. */
export function walk(
  roots: readonly PageNode[],
  enter: (node: PageNode) => boolean,
  leave: (node: PageNode) => void = () => undefined,
): void {
  const open: { readonly node: PageNode; readonly isDone: boolean }[] = []
  const push = (nodes: readonly PageNode[]): void => {
    for (let at = nodes.length - 1; at >= 0; at -= 1) {
      const node = nodes[at]
      if (node !== undefined) open.push({ node, isDone: false })
    }
  }
  push(roots)
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, isDone } = next
    if (isDone) leave(node)
    else if (enter(node)) {
      open.push({ node, isDone: true })
      push(node.children ?? [])
    }
  }
}
