import { useParams } from '@tanstack/react-router';

/** The check in the address of the open page. */
export function useOpenCheck(): string | undefined {
  const shown = useParams({ from: '/signed-in/checks/$check', shouldThrow: false });
  const edited = useParams({ from: '/signed-in/checks/$check/edit', shouldThrow: false });
  return (shown ?? edited)?.check;
}
