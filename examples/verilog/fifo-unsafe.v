// The same queue, but it takes a word when it is full: then it counts too many.
module fifo (input clk, input push, input pop, input [7:0] data, output [7:0] first);
  reg [7:0] words [0:3];
  reg [1:0] head = 0, tail = 0;
  reg [2:0] count = 0;
  wire full = count == 4;
  wire empty = count == 0;
  wire writes = push;
  wire reads = pop && !empty;
  assign first = words[head];

  always @(posedge clk) begin
    if (writes) begin
      words[tail] <= data;
      tail <= tail + 1;
    end
    if (reads) head <= head + 1;
    count <= count + writes - reads;
  end

  always @* assert (count <= 4);
  always @* assert (tail - head == count[1:0]);
endmodule
