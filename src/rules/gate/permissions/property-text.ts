import { findNodeAtLocation, parseTree } from 'jsonc-parser'

/** A property of a JSON object as it stands in the text: in memory, keys that look like numbers would move to the front. */
export function propertyText(json: string, name: string): string | undefined {
  const root = parseTree(json)
  const node = root === undefined ? undefined : findNodeAtLocation(root, [name])
  return node === undefined ? undefined : json.slice(node.offset, node.offset + node.length)
}
