import { type Query, useQueryClient } from '@tanstack/react-query';
import { Link, useParams, useRouter } from '@tanstack/react-router';
import { use, useEffect, useState } from 'react';
import { m } from '../messages/index.ts';
import { NoPermission } from '../pages/no-permission.tsx';
import { NotFound } from '../pages/not-found.tsx';
import { Button } from '../ui/button.tsx';
import { InsideMain, MainPart } from '../ui/main-part.tsx';
import { ApiError } from './api.ts';
import { isMissingScript, reload } from './missing-scripts.ts';
import { useRecovery } from './use-recovery.ts';

export const isMissing = (error: unknown) =>
  error instanceof ApiError && (error.code ?? '').endsWith('not_found');

interface FailureProps {
  readonly error: Error;
  readonly reset: () => void;
}

/** Replaces a page that fails. Missing pages and pages of others look the same. */
export function Failure(failure: FailureProps) {
  const { error } = failure;
  const project = useParams({ from: '/signed-in/projects/$project', shouldThrow: false })?.project;
  const isInside = use(InsideMain);
  if (isMissing(error)) return <NotFound />;
  if (isInside && error instanceof ApiError && error.code === 'permission_denied')
    return <NoPermission project={project} />;
  return isMissingScript(error) ? <FailedScript error={error} /> : <FailedRead {...failure} />;
}

function FailedScript({ error }: Pick<FailureProps, 'error'>) {
  useRecovery(() => reload({ onlyOnce: true }));
  useEffect(() => void reload({ onlyOnce: true }), []);
  return <Message error={error} isTrying={false} onRetry={() => void reload({ onlyOnce: false })} />;
}

/** Those of the queries that have no answer, and that no part of the page uses. */
const failedOf = (culprits: readonly Query[]) => ({
  type: 'inactive' as const,
  predicate: (query: Query) => culprits.includes(query) && query.state.status === 'error',
});

function FailedRead({ error, reset }: FailureProps) {
  const queries = useQueryClient();
  const router = useRouter();
  const [culprits] = useState(() =>
    queries.getQueryCache().findAll({ predicate: ({ state }) => state.error === error }),
  );
  const { isTrying, retry } = useRecovery(async () => {
    const failed = failedOf(culprits);
    await queries.refetchQueries(failed);
    // Until then the message stays.
    if (queries.getQueryCache().findAll(failed).length > 0) return;
    await router.invalidate();
    reset();
  });
  // Otherwise the page would fail at once when the person comes back to it.
  useEffect(() => () => queries.removeQueries(failedOf(culprits)), [queries, culprits]);
  return <Message error={error} isTrying={isTrying} onRetry={retry} />;
}

function Message({
  error,
  isTrying,
  onRetry,
}: Pick<FailureProps, 'error'> & { readonly isTrying: boolean; readonly onRetry: () => void }) {
  const isInside = use(InsideMain);
  return (
    <MainPart>
      <title>{m.title(m.errors.title)}</title>
      <h1 className="text-20">{m.errors.title}</h1>
      <p role="alert" className="text-14 text-balance text-ink-2">
        {error.message}
      </p>
      <Button isBusy={isTrying} onClick={onRetry}>
        {m.errors.retry}
      </Button>
      {!isInside && (
        <Link to="/" className="font-medium text-link">
          {m.notFound.home}
        </Link>
      )}
    </MainPart>
  );
}
