/** The source cannot be read, or is of a version that cannot. The message says why, for people. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
}
