import { useSuspenseQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { query } from '../../app/read.ts';
import { Shell } from '../../app/shell.tsx';

/** The check whose pages are open, and how the address names it. */
export function useCheck() {
  const { check: ref } = useParams({ from: '/signed-in/checks/$check' });
  return { ref, check: useSuspenseQuery(query.checkPage({ check: ref })).data };
}

/** The pages of one check, within its project. */
export function CheckLayout() {
  const { ref, check } = useCheck();
  return (
    <Shell project={check.project.id}>
      {/* Another check begins anew: nothing of this one is kept. */}
      <Outlet key={ref} />
    </Shell>
  );
}
