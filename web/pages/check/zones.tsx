import { type ReactNode, use, useState } from 'react';
import { m } from '../../messages/index.ts';
import { Segments } from '../../ui/segments.tsx';
import { PersonsTimes } from '../../ui/time.tsx';
import { cityOf } from '../../ui/times.ts';
import type { ShownCheck } from './queries.ts';

/** The zones in which times can be read: the person's, the schedule's, and UTC. The person's comes first. */
export function useZone({ schedule }: ShownCheck) {
  const style = use(PersonsTimes);
  const zones = [...new Set([style.tz, schedule.tz ?? style.tz, 'UTC'])];
  const [chosen, setChosen] = useState(style.tz);
  const zone = zones.includes(chosen) ? chosen : style.tz;
  const next = () => setChosen(zones[(zones.indexOf(zone) + 1) % zones.length] ?? style.tz);
  return { zone, zones, setZone: setChosen, next, style: { ...style, tz: zone } };
}

export function ZoneSwitch({ zone, zones, setZone }: ReturnType<typeof useZone>): ReactNode {
  if (zones.length < 2) return null;
  return (
    <Segments
      label={m.check.events.zone}
      choices={zones.map((value) => ({ value, label: cityOf(value) }))}
      value={zone}
      onChange={setZone}
    />
  );
}
