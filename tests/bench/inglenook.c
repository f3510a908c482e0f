/* A plain breadth-first search of the classic Inglenook, written from the rules to measure the solver against.
 *
 * Eight wagons on sidings of 5, 3 and 3 and a headshunt of 3. A move is one trip of the train from the headshunt into
 * one siding and back that changes how many wagons stand there. In the siding the row of wagons is one: those of the
 * headshunt, then those of the siding from the points inwards; a trip only moves the place where it is parted. The goal
 * is 1 to 5 in the long siding and 6 to 8 in the next. Moves can be undone, so a search from the goal finds how many
 * moves every position needs.
 *
 * A position is a number: which of the 53 ways to stand (how many wagons in which track), and which of the 8! orders in
 * which the wagons are met, track by track. Prints one JSON object; seconds are the
 * processor's, so that what else runs on the machine does not count.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WAGONS = 8, ORDERS = 40320, TRACKS = 4, MOST_WAYS = 128, UNKNOWN = 255 };

static const int room[TRACKS] = {3, 5, 3, 3}; /* the headshunt first */
static const int factorial[WAGONS] = {1, 1, 2, 6, 24, 120, 720, 5040};
static uint8_t ones[1 << WAGONS]; /* bits set in a number */

static int ways;
static int standing[MOST_WAYS][TRACKS];
static int way_of[4][6][4]; /* by headshunt, long siding, second siding */

static void find_ways(void) {
    for (int head = 0; head <= room[0]; head++)
        for (int a = 0; a <= room[1]; a++)
            for (int b = 0; b <= room[2]; b++) {
                int c = WAGONS - head - a - b;
                if (c < 0 || c > room[3]) continue;
                int counts[TRACKS] = {head, a, b, c};
                memcpy(standing[ways], counts, sizeof counts);
                way_of[head][a][b] = ways++;
            }
}

static int rank_of(const uint8_t *order) {
    int rank = 0;
    unsigned seen = 0;
    for (int i = 0; i < WAGONS; i++) {
        unsigned smaller = (1u << order[i]) - 1;
        rank += (order[i] - ones[seen & smaller]) * factorial[WAGONS - 1 - i];
        seen |= 1u << order[i];
    }
    return rank;
}

static void order_of(int rank, uint8_t *order) {
    uint8_t left[WAGONS];
    for (int i = 0; i < WAGONS; i++) left[i] = (uint8_t)i;
    for (int i = 0; i < WAGONS; i++) {
        int place = rank / factorial[WAGONS - 1 - i];
        rank %= factorial[WAGONS - 1 - i];
        order[i] = left[place];
        memmove(left + place, left + place + 1, (size_t)(WAGONS - 1 - i - place));
    }
}

int main(void) {
    struct timespec begin, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    for (int i = 1; i < 1 << WAGONS; i++) ones[i] = (uint8_t)(ones[i / 2] + (i & 1));
    find_ways();
    size_t positions = (size_t)ways * ORDERS;
    uint8_t *moves = malloc(positions);
    uint32_t *queue = malloc(positions * sizeof *queue);
    if (!moves || !queue) return 1;
    memset(moves, UNKNOWN, positions);
    size_t first = 0, last = 0;
    queue[last++] = (uint32_t)(way_of[0][5][3] * ORDERS); /* in order: rank 0 */
    moves[queue[0]] = 0;
    while (first < last) {
        uint32_t here = queue[first++];
        const int *count = standing[here / ORDERS];
        uint8_t order[WAGONS];
        order_of((int)(here % ORDERS), order);
        for (int siding = 1, at = count[0]; siding < TRACKS; at += count[siding++]) {
            int row = count[0] + count[siding];
            for (int head = 0; head <= room[0] && head <= row; head++) {
                int inside = row - head;
                if (head == count[0] || inside > room[siding]) continue;
                int after[TRACKS];
                memcpy(after, count, sizeof after);
                after[0] = head;
                after[siding] = inside;
                /* the parting moves: what lies between the headshunt and the siding goes behind or before */
                uint8_t met[WAGONS], result[WAGONS];
                memcpy(met, order, (size_t)count[0]);
                memcpy(met + count[0], order + at, (size_t)count[siding]);
                int to = 0, from = count[0];
                memcpy(result, met, (size_t)head);
                to = head;
                for (int other = 1; other < TRACKS; other++) {
                    if (other == siding) {
                        memcpy(result + to, met + head, (size_t)inside);
                        to += inside;
                    } else {
                        memcpy(result + to, order + from, (size_t)count[other]);
                        to += count[other];
                    }
                    from += count[other];
                }
                uint32_t there = (uint32_t)(way_of[after[0]][after[1]][after[2]] * ORDERS + rank_of(result));
                if (moves[there] == UNKNOWN) {
                    moves[there] = (uint8_t)(moves[here] + 1);
                    queue[last++] = there;
                }
            }
        }
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    int most = moves[queue[last - 1]];
    size_t at_most = 0;
    for (size_t i = 0; i < positions; i++) at_most += moves[i] == most;
    double seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9;
    printf("{\"positions\": %zu, \"max\": %d, \"at_max\": %zu, \"seconds\": %.6f}\n", last, most, at_most, seconds);
    free(queue);
    free(moves);
    return 0;
}
