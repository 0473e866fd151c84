/** Words of the options, in a file of their own: what a user's TypeScript reads leads to nothing else of this folder. */

/** What to do with a commit that the user makes for a partition that is not this member's any more. */
export type ForeignCommits = 'drop' | 'throw'

/**
 * How kafkajs learns of a changed assignment:
 * - `in-place`: the arrays that it works on are changed; nothing stops;
 * - `surfaced`: it joins again, with cached answers, in one fetcher; it reads the positions of all partitions anew.
 */
export type Tier = 'in-place' | 'surfaced'

/** `auto`: in place where kafkajs' internals allow it, else surfaced. */
export type TierChoice = 'auto' | Tier
