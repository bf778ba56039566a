import { Link } from '@tanstack/react-router';
import { use } from 'react';
import { m } from '../messages/index.ts';
import { PersonsTimes } from './time.tsx';
import { cityOf } from './times.ts';

/** Names the zone of all times of the page that name no other. It leads to where the zone is chosen. */
export function ZoneNote() {
  const { tz } = use(PersonsTimes);
  return (
    <Link
      to="/accounts/profile/look/"
      className="whitespace-nowrap text-ink-3 underline decoration-line-2 underline-offset-2 hover:text-link"
      title={tz}
    >
      {m.times.zone(cityOf(tz))}
    </Link>
  );
}
