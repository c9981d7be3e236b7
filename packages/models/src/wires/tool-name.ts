/**
 * A tool's name as an API takes it: letters, digits, `_` and `-`, at most so many. A model may call a tool by a name of its
 * own invention, and sent back as it is, it would have every request after it refused.
 */
export function toolName(name: string, most: number): string {
  return name.replace(/[^\w-]/g, '_').slice(0, most) || 'unknown';
}
