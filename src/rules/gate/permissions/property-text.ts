import { findNodeAtLocation, parseTree } from 'jsonc-parser'

/** The text of a property in a JSON object. Parsing would move number-like keys to the front. */
export function propertyText(json: string, name: string): string | undefined {
  const root = parseTree(json)
  const node = root === undefined ? undefined : findNodeAtLocation(root, [name])
  return node === undefined ? undefined : json.slice(node.offset, node.offset + node.length)
}
