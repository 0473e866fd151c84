const stillness = matchMedia('(prefers-reduced-motion: reduce)')

export const prefersStillness = (): boolean => stillness.matches
