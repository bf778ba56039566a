import { useSuspenseQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { Shell } from '../../app/shell.tsx';
import { checkQuery } from './queries.ts';

/** The check whose pages are open, and how the address names it. */
export function useCheck() {
  const { check: ref = '' } = useParams({ strict: false });
  return { ref, check: useSuspenseQuery(checkQuery(ref)).data };
}

/** The pages of one check, within its project. */
export function CheckLayout() {
  const { check } = useCheck();
  return (
    <Shell project={check.project.id}>
      <Outlet />
    </Shell>
  );
}
