import type { BulkResult } from '../services/check/check-bulk.ts';
import type { OperationDeps } from '../views/operation.ts';
import { uuidListField } from '../wire/dashboard/input.ts';

/** The input of an act on many checks. */
export const MANY = { checks: uuidListField };

/** UUIDs of the checks to which it was done, and of the others, by the reason. */
export function shown({ refusalText }: Pick<OperationDeps, 'refusalText'>, { done, refused }: BulkResult) {
  return {
    done,
    refused: Array.from(refused.values(), ({ error, uuids }) => ({
      error: refusalText(error),
      checks: uuids,
    })),
  };
}
