import { hash } from 'node:crypto';
import {
  DECLARED_PARAMETERS,
  type DeclaredParameter,
  type JobDeclaration,
  MAX_DECLARATION,
} from '../../domain/check/job-declaration.ts';

/** Characters of a digest: no two declarations of a check share so many. */
const DIGEST_LENGTH = 22;

const CRONITOR_PARAMETERS: readonly DeclaredParameter[] = ['schedule'];

/**
 * The declaration in a query of so many characters. Undefined if it has none. The order of parameters does not matter. If one is
 * repeated, the last counts.
 */
export function declarationIn(
  query: URLSearchParams,
  length: number,
  names: readonly DeclaredParameter[] = DECLARED_PARAMETERS,
): JobDeclaration | undefined {
  const given: [string, string][] = [];
  for (const name of names) if (query.has(name)) given.push([name, query.getAll(name).at(-1) ?? '']);
  if (given.length === 0) return undefined;
  if (length > MAX_DECLARATION) return { digest: 'long', given: null };
  const text = new URLSearchParams(given).toString();
  return { digest: hash('sha256', text, 'base64url').slice(0, DIGEST_LENGTH), given: text };
}

/** An address of Cronitor declares its schedule alone. */
export function cronitorDeclarationIn(query: URLSearchParams): JobDeclaration | undefined {
  return declarationIn(query, 0, CRONITOR_PARAMETERS);
}

/** Characters of an answer that a header carries. */
const MAX_HEADER = 300;

/** The answer as a header: ASCII in one line. */
export function declarationHeader(answer: string): string {
  return answer.slice(0, MAX_HEADER).replace(/[^\x20-\x7e]/g, '?');
}
