/** A short name for a text that must not be read. `node:crypto` takes long to load, and most runs need none. */
export async function digest(text: string): Promise<string> {
  const { createHash } = await import('node:crypto');
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
