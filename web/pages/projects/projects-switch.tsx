import { Link } from '@tanstack/react-router';
import { m } from '../../messages/index.ts';

const PLACES = [
  { to: '/', label: m.projects.title },
  { to: '/all-checks/', label: m.shell.allChecks },
] as const;

/** Between the projects and the checks of all of them. */
export function ProjectsSwitch() {
  return (
    <nav
      aria-label={m.projects.switch}
      className="inline-flex flex-none gap-0.5 rounded-control bg-quiet-t p-0.5"
    >
      {PLACES.map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ className: 'segment-on text-ink' }}
          inactiveProps={{ className: 'text-ink-2' }}
          className="touch inline-flex h-6.5 items-center rounded-[6px] px-2.5 text-12 font-medium whitespace-nowrap max-md:h-10"
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
